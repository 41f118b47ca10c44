-- A user is gone for everybody as soon as this is set. A job then takes the user out of the records that name them, which may be
-- very many, and deletes the row when none is left.
alter table users add column removed_at timestamptz(3);

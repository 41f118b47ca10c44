-- A user is hidden from everybody as soon as this is set. A job then removes the user from all records that name them, which may be very
-- many, and deletes the user when no record is left.
alter table users add column removed_at timestamptz(3);

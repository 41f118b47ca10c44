-- A business is gone for everybody as soon as this is set. A job then takes it out of the contacts and table rows that name it, which
-- may be very many, and deletes the row when none is left.
alter table businesses add column removed_at timestamptz(3);

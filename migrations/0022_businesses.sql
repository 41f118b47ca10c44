-- A business is hidden from everybody as soon as this is set. A job then removes it from all contacts and table rows that name it, which
-- may be very many, and deletes it when no record is left.
alter table businesses add column removed_at timestamptz(3);

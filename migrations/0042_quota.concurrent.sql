-- Counts what was stored before the counting began. It is one statement, so it sees the data of one moment, and nobody waits for it.
-- Row-level security also applies to the owner of the tables, so it runs as the system role.
set role parley_system;
select recount_stored();
reset role;

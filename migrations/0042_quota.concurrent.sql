-- What was stored before anything was counted. One statement looks at everything as it is at one moment, and nobody waits for it. Row
-- security binds the owner of the tables, too; the system sees all.
set role parley_system;
select recount_stored();
reset role;

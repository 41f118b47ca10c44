-- The user or the key that has uploaded the file, also when it has been removed since. Null for a file that a network has brought. A caller
-- can use its own files without the right to read all files.
alter table attachments add column uploaded_by text collate "C";

-- Of the files that were uploaded before, the audit knows it.
set local role parley_system;

update attachments a set uploaded_by = l.actor_id from audit_log l
  where l.company_id = a.company_id and l.resource_id = a._id and l.action = 'attachments.create' and l.actor_type <> 'SYSTEM';

reset role;

-- Old entries of the audit are deleted by the pages of their table, so no statement looks them up by their age any more.
drop index concurrently if exists audit_log_age;

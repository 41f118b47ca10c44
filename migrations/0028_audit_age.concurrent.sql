-- Old lines of the audit are deleted by the pages of their table, so nothing looks them up by their age any more.
drop index concurrently if exists audit_log_age;

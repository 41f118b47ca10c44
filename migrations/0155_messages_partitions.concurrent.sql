-- Reads the table while it is in use.
alter table messages validate constraint messages_before;

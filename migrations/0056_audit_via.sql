-- The protocol by which the request came that an entry is about, such as MCP. The entries of requests of the API itself have none.
alter table audit_log add column via text;

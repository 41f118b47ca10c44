alter table agent_file_texts add primary key using index agent_file_texts_pkey;
alter table agent_file_texts drop constraint agent_file_texts_id;

-- Each attempt has an id of its own, whatever the owner of its key.
alter table idempotency_keys add primary key using index idempotency_keys_pkey;

-- A change of a row that replication passes on names the company of the row. The primary key of these tables does not.
alter table browser_sessions replica identity using index browser_sessions_identity;
alter table password_tokens replica identity using index password_tokens_identity;
-- Rows that concern the installation itself have no company, so no key can have it.
alter table api_keys replica identity full;
alter table audit_log replica identity full;
alter table idempotency_keys replica identity full;
alter table mailed_links replica identity full;

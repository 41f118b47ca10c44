-- What 0045_platform_keys.sql makes keys of. Row security may apply to the owner, who would then see no row.
set role parley_system;
do $$ declare company text; begin
  for company in select _id from companies loop update agent_file_texts set _id = new_id() where company_id = company and _id is null; commit; end loop; end $$;
reset role;
alter table agent_file_texts validate constraint agent_file_texts_id;
create unique index concurrently if not exists agent_file_texts_pkey on agent_file_texts (company_id, _id);
create unique index concurrently if not exists idempotency_keys_pkey on idempotency_keys (attempt);
create unique index concurrently if not exists browser_sessions_identity on browser_sessions (company_id, token_hash);
create unique index concurrently if not exists password_tokens_identity on password_tokens (company_id, token_hash);

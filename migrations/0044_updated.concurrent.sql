-- Indexes for the sort -updatedAt and the filter updated_since. Pipelines and custom fields are so few that they are sorted each time, and
-- the log of deliveries is sorted by the time when each delivery was queued.

create index concurrently if not exists companies_updated on companies (updated_at desc, _id desc);
create index concurrently if not exists users_updated on users (company_id, updated_at desc, _id desc);
create index concurrently if not exists api_keys_updated on api_keys (company_id, updated_at desc, _id desc);
create index concurrently if not exists inboxes_updated on inboxes (company_id, updated_at desc, _id desc);
create index concurrently if not exists businesses_updated on businesses (company_id, updated_at desc, _id desc);
create index concurrently if not exists contacts_updated on contacts (company_id, updated_at desc, _id desc);
create index concurrently if not exists conversations_updated on conversations (company_id, updated_at desc, _id desc);
create index concurrently if not exists messages_updated on messages (company_id, conversation_id, updated_at desc, _id desc);
create index concurrently if not exists tables_updated on tables (company_id, updated_at desc, _id desc);
create index concurrently if not exists table_rows_updated on table_rows (company_id, table_id, updated_at desc, _id desc);
create index concurrently if not exists imports_updated on imports (company_id, kind, updated_at desc, _id desc);

-- Indexes of tables that are in use. Each statement runs by itself, outside of a transaction, so that no other statement waits for it.

create index concurrently if not exists companies_list on companies (created_at desc, _id desc);
create index concurrently if not exists users_list on users (company_id, created_at desc, _id desc);
create index concurrently if not exists inboxes_owner on inboxes (company_id, default_owner) where default_owner is not null;
create index concurrently if not exists contacts_owner on contacts (company_id, owner_id, created_at desc, _id desc) where owner_id is not null;
create index concurrently if not exists conversations_owner on conversations (company_id, owner_id, created_at desc, _id desc) where owner_id is not null;
create index concurrently if not exists conversations_attendant on conversations (company_id, attendant_id, created_at desc, _id desc)
  where attendant_id is not null;
create index concurrently if not exists custom_fields_list on custom_fields (company_id, created_at desc, _id desc);
create index concurrently if not exists contacts_business on contacts (company_id, business_id, created_at desc, _id desc) where business_id is not null;
create unique index concurrently if not exists pipelines_default_key on pipelines (company_id) where is_default;
create index concurrently if not exists pipelines_list on pipelines (company_id, created_at desc, _id desc);
create index concurrently if not exists pipeline_steps_order on pipeline_steps (company_id, pipeline_id, position, _id);
create index concurrently if not exists conversations_step on conversations (company_id, step_id, created_at desc, _id desc) where step_id is not null;
create index concurrently if not exists conversations_pipeline on conversations (company_id, pipeline_id) where pipeline_id is not null;
create index concurrently if not exists conversations_list on conversations (company_id, created_at desc, _id desc);
alter table companies validate constraint companies_document_type_check;
alter table agents validate constraint agents_type_check;
alter table users validate constraint users_status_check;
alter table inboxes validate constraint inboxes_default_owner_ref;
alter table contacts validate constraint contacts_owner_ref;
alter table conversations validate constraint conversations_owner_ref;
alter table conversations validate constraint conversations_attendant_ref;
alter table custom_fields validate constraint custom_fields_type_check;
alter table contacts validate constraint contacts_business_ref;
alter table pipeline_steps validate constraint pipeline_steps_kind_check;

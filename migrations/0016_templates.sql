-- The copy of one account's templates: when it was made, and when a worker makes it anew. Several inboxes of a company may share an account.
create table template_catalogues (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  channel text not null,
  -- The network's name of the account (a waba_id).
  account text collate "C" not null,
  -- When the last complete copy of the network's templates was begun, and why the last try failed.
  fetched_at timestamptz(3),
  error text,
  failures integer not null default 0,
  -- Whether a worker shall take it now; otherwise when it shall be taken next.
  is_waiting boolean not null default true,
  due_at timestamptz(3) not null default now(),
  -- When a worker took it last, and until when that worker holds it.
  claimed_at timestamptz(3),
  held_until timestamptz(3),
  -- A copy that is not complete yet: when it was begun, and where the network's list goes on.
  pass_at timestamptz(3),
  pass_after text,
  created_at timestamptz(3) not null default now(),
  primary key (company_id, _id)
);
create unique index template_catalogues_account on template_catalogues (company_id, channel, account);
-- Notifications name an account and no company.
create index template_catalogues_notified on template_catalogues (channel, account);
create index template_catalogues_waiting on template_catalogues (company_id, due_at) where is_waiting;
create index template_catalogues_due on template_catalogues (coalesce(held_until, due_at)) where not is_waiting;
call tenant_table('template_catalogues');

create table templates (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  catalogue_id text collate "C" not null,
  name text collate "C" not null,
  language text collate "C" not null,
  category text not null,
  -- The network's own word: only APPROVED can be sent.
  status text not null,
  quality text,
  parameter_format text not null check (parameter_format in ('POSITIONAL', 'NAMED')),
  components jsonb not null,
  network_id text collate "C",
  rejected_reason text,
  -- When the network last described the whole template, and in which copy of the catalogue.
  fetched_at timestamptz(3) not null,
  pass_at timestamptz(3),
  -- The last change that a notification or a caller brought: when it was stored, and when it happened by the network's clock. A copy
  -- that was begun before leaves it alone.
  noted_at timestamptz(3),
  told_at timestamptz(3),
  record_bytes integer not null generated always as (
    800 + json_bytes(name || category || status || coalesce(quality, '') || coalesce(rejected_reason, '')) + octet_length(components::text)
  ) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  constraint templates_catalogue_ref foreign key (company_id, catalogue_id) references template_catalogues on delete cascade
);
create unique index templates_name on templates (company_id, catalogue_id, name, language);
create index templates_list on templates (company_id, catalogue_id, created_at desc, _id desc);
create index templates_updated on templates (company_id, catalogue_id, updated_at desc, _id desc);
call tenant_table('templates');
call counted_table('templates');

-- Templates that a caller has removed at the network. A page of the network's list that was requested before still names them. A row is kept
-- until a copy that began after the removal is complete.
create table template_removals (
  company_id text collate "C" not null references companies,
  catalogue_id text collate "C" not null,
  name text collate "C" not null,
  removed_at timestamptz(3) not null default now(),
  primary key (company_id, catalogue_id, name),
  constraint template_removals_catalogue_ref foreign key (company_id, catalogue_id) references template_catalogues on delete cascade
);
call tenant_table('template_removals');

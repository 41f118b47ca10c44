-- Pipelines, whose steps conversations go through.

create table pipelines (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  -- Each company has one default pipeline.
  is_default boolean not null default false,
  -- A pipeline or a step that is removed while many conversations are in it is hidden at once. A job then moves the conversations, a portion
  -- at a time, and deletes the pipeline or step when the last one has left.
  retired boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id)
);
create unique index pipelines_default_key on pipelines (company_id) where is_default;
create index pipelines_list on pipelines (company_id, created_at desc, _id desc);
call tenant_table('pipelines');

create table pipeline_steps (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  pipeline_id text collate "C" not null,
  name text not null,
  position integer not null default 0,
  kind text not null default 'OPEN' check (kind in ('OPEN', 'WON', 'LOST')),
  replaced_by text collate "C",
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, pipeline_id) references pipelines on delete cascade,
  constraint pipeline_steps_replacement foreign key (company_id, replaced_by) references pipeline_steps
);
create index pipeline_steps_order on pipeline_steps (company_id, pipeline_id, position, _id);
call tenant_table('pipeline_steps');

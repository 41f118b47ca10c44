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

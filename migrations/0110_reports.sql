-- What reports count. Triggers write a narrow row for each fact in the transaction of the change; a worker adds the rows to counters.
create table report_facts (
  company_id text collate "C" not null references companies,
  _id bigint not null generated always as identity,
  at timestamptz(3) not null default now(),
  kind text not null check (kind in ('OPENED', 'REOPENED', 'CLOSED', 'GONE', 'FIRST_REPLY', 'REPLIED', 'ANSWERED', 'HANDED_OVER', 'COST')),
  -- -1 takes back a fact that has turned out otherwise.
  count integer not null default 1,
  -- Seconds of a fact that took time; millionths of the currency of a cost.
  total bigint not null default 0,
  currency text not null default '',
  inbox_id text collate "C" not null,
  team_id text collate "C",
  user_id text collate "C",
  agent_id text collate "C",
  campaign_id text collate "C",
  tags text[] not null default '{}',
  primary key (company_id, _id)
)
-- Rows stay for seconds, so the index would consist mostly of dead entries if they were not removed often.
with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_threshold = -1);
call tenant_table('report_facts');
revoke update, delete on report_facts from parley_app;
-- Conversations that a foreign key deletes with their contact are removed, and so counted, as the owner of the tables, to whom row-level
-- security also applies.
create policy counting on report_facts for insert
  with check (current_user = (select pg_get_userbyid(relowner) from pg_class where oid = 'report_facts'::regclass));

-- Sums of the facts of an hour, a day and a month (UTC): of the company, and of each record that the facts name.
create table report_counters (
  company_id text collate "C" not null references companies,
  dimension text not null,
  -- The id of the record, or the tag; empty for the company.
  subject text collate "C" not null,
  kind text not null,
  grain text not null check (grain in ('HOUR', 'DAY', 'MONTH')),
  at timestamptz(0) not null,
  currency text not null default '',
  -- The class of durations (report_bucket) that the row counts, of which medians are computed; -1 for the sum of all.
  bucket integer not null,
  count bigint not null,
  total bigint not null,
  primary key (company_id, dimension, subject, kind, grain, at, currency, bucket)
)
with (fillfactor = 70);
create index report_counters_subjects on report_counters (company_id, dimension, kind, grain, at);
call tenant_table('report_counters');
revoke insert, update, delete on report_counters from parley_app;

-- When it was opened again last; null for one that was not. And when its contact was first answered since then.
alter table conversations add column opened_at timestamptz(3);
alter table conversations add column first_reply_at timestamptz(3);

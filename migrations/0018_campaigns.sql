-- Campaigns: whom they write to, what was sent, and the counters that show it.

create function campaign_hour(at timestamptz) returns text
language sql stable
return to_char(date_trunc('hour', at at time zone 'UTC'), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Campaigns: templates to many contacts, as one message or as a sequence of steps.
create table campaigns (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  description text,
  inbox_id text collate "C" not null,
  status text not null default 'DRAFT' check (status in (
    'DRAFT', 'SCHEDULED', 'RUNNING', 'PAUSED', 'COMPLETED', 'CANCELLED', 'FAILED'
  )),
  -- [{delay_minutes, template: {name, language, components}, funnel_step}], in their order.
  steps jsonb not null,
  -- {filters, tags, contacts}: whom it is for, as the caller gave it.
  audience jsonb not null,
  agent_id text collate "C",
  owner_id text collate "C",
  -- {messages_per_minute, time_zone, sending_hours, error_threshold, stop_on_reply, send_to_active_conversations}
  options jsonb not null,
  scheduled_at timestamptz(3),
  started_at timestamptz(3),
  paused_at timestamptz(3),
  pause_reason text,
  completed_at timestamptz(3),
  -- The last contact that was looked at for the audience. Contacts are looked at in the order of their ids, so a worker that dies leaves the place.
  enrolled_upto text collate "C",
  is_enrolled boolean not null default false,
  -- Whether a worker may take it now, and its place among the campaigns of its company.
  is_waiting boolean not null default false,
  turn_at timestamptz(3) not null default now(),
  -- Whether something was added while a worker had it.
  is_nudged boolean not null default false,
  -- When a worker took it; null while none has it.
  claimed_at timestamptz(3),
  -- It may be taken again after this time: its worker has died, or it is due. Null for a campaign that nobody is to take.
  held_until timestamptz(3),
  -- How many messages were sent and had failed when it last began to run: the error threshold counts from there.
  called_before bigint not null default 0,
  failed_before bigint not null default 0,
  record_bytes integer not null generated always as (
    1500 + json_bytes(name || coalesce(description, '')) + octet_length(steps::text) + octet_length(audience::text)
      + octet_length(options::text)
  ) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  constraint campaigns_agent_ref foreign key (company_id, agent_id) references agents,
  constraint campaigns_inbox_ref foreign key (company_id, inbox_id) references inboxes,
  constraint campaigns_owner_ref foreign key (company_id, owner_id) references users on delete set null (owner_id),
  constraint campaigns_pause_reason_check check (pause_reason in ('USER', 'ERROR_RATE', 'NETWORK_LIMIT', 'TEMPLATE'))
)
with (fillfactor = 70);
create index campaigns_list on campaigns (company_id, created_at desc, _id desc);
create index campaigns_updated on campaigns (company_id, updated_at desc, _id desc);
create index campaigns_inbox on campaigns (company_id, inbox_id);
create index campaigns_agent on campaigns (company_id, agent_id) where agent_id is not null;
create index campaigns_owner on campaigns (company_id, owner_id) where owner_id is not null;
-- The indexes by which workers find campaigns that wait or are due.
create index campaigns_waiting on campaigns (company_id, turn_at) where is_waiting;
create index campaigns_held on campaigns (held_until) where held_until is not null and not is_waiting;
call tenant_table('campaigns');
call counted_table('campaigns');

create table campaign_enrollments (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  campaign_id text collate "C" not null,
  -- Null after the contact was erased: its place in the counters stays.
  contact_id text collate "C",
  -- The contact's values that the templates name, as they were at the enrolment; null where no template names any.
  recipient jsonb,
  status text not null default 'PENDING' check (status in (
    'PENDING', 'SENT', 'DELIVERED', 'READ', 'REPLIED', 'COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED'
  )),
  -- The step that is sent next, or that was sent last.
  current_step integer not null default 0,
  -- When the current step is to be sent. Null while it is being sent, and when nothing more is sent: a worker that dies in between leaves it
  -- null, so nothing is ever sent twice.
  next_run_at timestamptz(3),
  conversation_id text collate "C",
  message_id text collate "C",
  -- How often the network has refused the current message because of a rate limit.
  refusals integer not null default 0,
  skip_reason text,
  failure_reason jsonb,
  called_at timestamptz(3),
  sent_at timestamptz(3),
  delivered_at timestamptz(3),
  read_at timestamptz(3),
  replied_at timestamptz(3),
  failed_at timestamptz(3),
  -- When it became certain that nothing more is sent.
  completed_at timestamptz(3),
  -- The request that has added the contact: when it is repeated, it finds what it had enrolled. Null for a contact of the audience.
  added_by text collate "C",
  record_bytes integer not null generated always as (
    400 + coalesce(octet_length(recipient::text), 0) + coalesce(octet_length(failure_reason::text), 0)
  ) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  constraint campaign_enrollments_campaign_ref foreign key (company_id, campaign_id) references campaigns on delete cascade,
  foreign key (company_id, contact_id) references contacts on delete set null (contact_id)
)
with (fillfactor = 60);
create unique index campaign_enrollments_contact_key on campaign_enrollments (company_id, campaign_id, contact_id);
create index campaign_enrollments_contact on campaign_enrollments (company_id, contact_id) where contact_id is not null;
create index campaign_enrollments_due on campaign_enrollments (company_id, campaign_id, next_run_at, _id) where next_run_at is not null;
create index campaign_enrollments_open on campaign_enrollments (company_id, campaign_id) where completed_at is null;
create index campaign_enrollments_list on campaign_enrollments (company_id, created_at desc, _id desc);
create index campaign_enrollments_updated on campaign_enrollments (company_id, updated_at desc, _id desc);
create index campaign_enrollments_campaign on campaign_enrollments (company_id, campaign_id, created_at desc, _id desc);
call tenant_table('campaign_enrollments');
call counted_table('campaign_enrollments', updates => 'UNBOUNDED');

-- What was sent: one message for each enrollment and step, which the primary key decides.
create table campaign_sends (
  company_id text collate "C" not null references companies,
  enrollment_id text collate "C" not null,
  step integer not null,
  campaign_id text collate "C" not null,
  contact_id text collate "C",
  message_id text collate "C" not null,
  -- The place in the daily limit that was taken for it, and the one that the person had before.
  reached_at timestamptz(3),
  reached_before timestamptz(3),
  sent_at timestamptz(3),
  delivered_at timestamptz(3),
  read_at timestamptz(3),
  replied_at timestamptz(3),
  failed_at timestamptz(3),
  -- The cause of the failure: the code of the network or of the platform, and its words.
  code text,
  cause text,
  -- When the network took the message.
  accepted_at timestamptz(3),
  primary key (company_id, enrollment_id, step),
  foreign key (company_id, enrollment_id) references campaign_enrollments on delete cascade
)
with (fillfactor = 70);
call tenant_table('campaign_sends');

-- The counters of a campaign are the sums of these two tables. Whoever changes a state inserts rows into the second one, because a counter that
-- all of them changed would make them wait for each other. A worker adds those rows to the first one.
create table campaign_counters (
  company_id text collate "C" not null references companies,
  campaign_id text collate "C" not null,
  -- total, skipped, failure, step.<index>, hour.<time>
  scope text collate "C" not null,
  name text collate "C" not null,
  amount bigint not null,
  primary key (company_id, campaign_id, scope, name),
  foreign key (company_id, campaign_id) references campaigns on delete cascade
)
with (fillfactor = 70);
call tenant_table('campaign_counters');

create table campaign_changes (
  company_id text collate "C" not null references companies,
  _id bigint not null generated always as identity,
  campaign_id text collate "C" not null,
  scope text collate "C" not null,
  name text collate "C" not null,
  amount bigint not null,
  primary key (company_id, _id),
  foreign key (company_id, campaign_id) references campaigns on delete cascade
)
with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_threshold = -1);
create index campaign_changes_campaign on campaign_changes (company_id, campaign_id);
call tenant_table('campaign_changes');
-- A contact that is erased changes its enrollments by a foreign key, as the owner of the tables, to whom row-level security also applies.
create policy counting on campaign_changes for insert
  with check (current_user = (select pg_get_userbyid(relowner) from pg_class where oid = 'campaign_changes'::regclass));

create table campaign_files (
  company_id text collate "C" not null references companies,
  campaign_id text collate "C" not null,
  attachment_id text collate "C" not null,
  primary key (company_id, campaign_id, attachment_id),
  foreign key (company_id, campaign_id) references campaigns on delete cascade,
  foreign key (company_id, attachment_id) references attachments
);
create index campaign_files_attachment on campaign_files (company_id, attachment_id);
call tenant_table('campaign_files');

-- What an enrollment and a send count as. The triggers below and the recount use the same functions.
create function enrollment_marks(e campaign_enrollments) returns table (scope text, name text)
language sql stable as $$
  select m.scope, m.name from (values
    ('total', 'enrolled', true), ('total', 'pending', e.status = 'PENDING'), ('total', 'cancelled', e.status = 'CANCELLED'),
    ('total', 'skipped', e.skip_reason is not null), ('skipped', e.skip_reason, e.skip_reason is not null),
    ('total', 'sent', e.sent_at is not null), ('total', 'delivered', e.delivered_at is not null),
    ('total', 'read', e.read_at is not null), ('total', 'replied', e.replied_at is not null),
    ('total', 'failed', e.failed_at is not null)
  ) m (scope, name, holds) where m.holds
$$;

create function send_marks(s campaign_sends) returns table (scope text, name text)
language sql stable as $$
  select m.scope, m.name from (values
    ('sends', 'called', now()), ('sends', 'failed', s.failed_at),
    ('step.' || s.step, 'sent', s.sent_at), ('step.' || s.step, 'delivered', s.delivered_at), ('step.' || s.step, 'read', s.read_at),
    ('step.' || s.step, 'replied', s.replied_at), ('step.' || s.step, 'failed', s.failed_at),
    ('failure', s.code || ' ' || s.cause, s.failed_at),
    ('hour.' || campaign_hour(s.sent_at), 'sent', s.sent_at), ('hour.' || campaign_hour(s.delivered_at), 'delivered', s.delivered_at),
    ('hour.' || campaign_hour(s.read_at), 'read', s.read_at), ('hour.' || campaign_hour(s.replied_at), 'replied', s.replied_at),
    ('hour.' || campaign_hour(s.failed_at), 'failed', s.failed_at)
  ) m (scope, name, held) where m.held is not null
$$;

create function count_enrollments() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into campaign_changes (company_id, campaign_id, scope, name, amount)
      select w.company_id, w.campaign_id, m.scope, m.name, count(*)
      from written w cross join lateral enrollment_marks(w) m group by 1, 2, 3, 4;
  else
    insert into campaign_changes (company_id, campaign_id, scope, name, amount)
      select d.company_id, d.campaign_id, d.scope, d.name, sum(d.amount) from (
        select w.company_id, w.campaign_id, m.scope, m.name, 1 as amount from written w cross join lateral enrollment_marks(w) m
        union all select p.company_id, p.campaign_id, m.scope, m.name, -1 from previous p cross join lateral enrollment_marks(p) m
      ) d group by 1, 2, 3, 4 having sum(d.amount) <> 0;
  end if;
  return null;
end
$$;
create trigger counted_insert after insert on campaign_enrollments referencing new table as written
  for each statement execute function count_enrollments();
create trigger counted_update after update on campaign_enrollments referencing old table as previous new table as written
  for each statement execute function count_enrollments();

create function count_sends() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into campaign_changes (company_id, campaign_id, scope, name, amount)
      select w.company_id, w.campaign_id, m.scope, m.name, count(*)
      from written w cross join lateral send_marks(w) m group by 1, 2, 3, 4;
  else
    insert into campaign_changes (company_id, campaign_id, scope, name, amount)
      select d.company_id, d.campaign_id, d.scope, d.name, sum(d.amount) from (
        select w.company_id, w.campaign_id, m.scope, m.name, 1 as amount from written w cross join lateral send_marks(w) m
        union all select p.company_id, p.campaign_id, m.scope, m.name, -1 from previous p cross join lateral send_marks(p) m
      ) d group by 1, 2, 3, 4 having sum(d.amount) <> 0;
  end if;
  return null;
end
$$;
create trigger counted_insert after insert on campaign_sends referencing new table as written
  for each statement execute function count_sends();
create trigger counted_update after update on campaign_sends referencing old table as previous new table as written
  for each statement execute function count_sends();

-- An enrollment without its contact gets nothing more, and keeps nothing of the contact.
create function forget_enrolled() returns trigger language plpgsql as $$
begin
  new.recipient := null;
  new.next_run_at := null;
  new.completed_at := coalesce(new.completed_at, now());
  if new.status = 'PENDING' and new.message_id is null then new.status := 'CANCELLED'; end if;
  return new;
end
$$;
create trigger forgotten before update of contact_id on campaign_enrollments for each row
  when (old.contact_id is not null and new.contact_id is null) execute function forget_enrolled();

-- What becomes of a message becomes of its enrollment, in whatever way the message has changed: by the answer of the network, by a status that
-- came early or late, or because its outcome stayed unknown.
create function advance_enrollments() returns trigger language plpgsql as $$
begin
  if not exists (select from written where enrollment_id is not null) then return null; end if;
  perform from campaign_enrollments e
    where (e.company_id, e._id) in (select w.company_id, w.enrollment_id from written w where w.enrollment_id is not null)
    order by e.company_id, e._id for no key update;
  update campaign_sends s set
      accepted_at = case when m.status in ('SENT', 'DELIVERED', 'READ') or m.external_id is not null then coalesce(s.accepted_at, now()) else s.accepted_at end,
      -- A failure that came before the answer to the call proves that the message was sent; one of a message that was held back does not.
      sent_at = case when m.sent_at is not null or m.status in ('DELIVERED', 'READ') or (m.external_id is not null and p.status = 'QUEUED' and m.status = 'FAILED')
        then coalesce(s.sent_at, now()) else s.sent_at end,
      delivered_at = case when m.status in ('DELIVERED', 'READ') then coalesce(s.delivered_at, m.delivered_at, m.read_at, now()) else s.delivered_at end,
      read_at = case when m.status = 'READ' then coalesce(s.read_at, m.read_at, now()) else s.read_at end,
      failed_at = case when m.status = 'FAILED' then coalesce(m.failed_at, now()) end,
      code = case when m.status = 'FAILED' then left(coalesce(m.errors -> 0 ->> 'code', 'PROVIDER_REJECTED'), 100) end,
      cause = case when m.status = 'FAILED' then
        left(coalesce(m.failure_reason ->> 'message', nullif(m.errors -> 0 ->> 'message', ''), m.errors -> 0 ->> 'title', ''), 300) end
    from written m join previous p on p.company_id = m.company_id and p._id = m._id
    where m.enrollment_id is not null and (m.status <> p.status or m.sent_at is distinct from p.sent_at)
      and s.company_id = m.company_id and s.enrollment_id = m.enrollment_id and s.message_id = m._id;
  if not found then return null; end if;
  update campaign_enrollments e set
      sent_at = n.sent_at, delivered_at = n.delivered_at, read_at = n.read_at, failed_at = n.failed_at,
      failure_reason = n.failure_reason, status = n.status, updated_at = now(),
      current_step = case when n.goes_on then e.current_step + 1 else e.current_step end,
      next_run_at = case when n.goes_on then now() + make_interval(mins => n.delay_minutes) when n.ends then null else e.next_run_at end,
      completed_at = case when n.ends then coalesce(e.completed_at, now()) else e.completed_at end
    from (
      select b.company_id, b._id, a.sent_at, a.delivered_at, a.read_at, l.failed_at,
        case when l.failed_at is not null then jsonb_build_object('code', l.code, 'message', l.cause) end as failure_reason,
        case when b.status in ('CANCELLED', 'SKIPPED') then b.status when l.failed_at is not null then 'FAILED' when b.replied_at is not null then 'REPLIED'
          when l.sent_at is not null and jsonb_array_length(k.steps) > 1 and l.step = jsonb_array_length(k.steps) - 1 then 'COMPLETED'
          when a.read_at is not null then 'READ' when a.delivered_at is not null then 'DELIVERED' when a.sent_at is not null then 'SENT'
          else 'PENDING' end as status,
        t.goes_on,
        l.failed_at is not null or (coalesce(l.accepted_at, l.sent_at) is not null and l.step = jsonb_array_length(k.steps) - 1) as ends,
        (k.steps -> (b.current_step + 1) ->> 'delay_minutes')::int as delay_minutes
      from (select distinct w.company_id, w.enrollment_id from written w where w.enrollment_id is not null) c
        join campaign_enrollments b on b.company_id = c.company_id and b._id = c.enrollment_id
        join campaigns k on k.company_id = b.company_id and k._id = b.campaign_id
        join lateral (select * from campaign_sends s where s.company_id = b.company_id and s.enrollment_id = b._id
          order by s.step desc limit 1) l on true
        cross join lateral (select min(s.sent_at) as sent_at, min(s.delivered_at) as delivered_at, min(s.read_at) as read_at
          from campaign_sends s where s.company_id = b.company_id and s.enrollment_id = b._id) a
        cross join lateral (select l.step = b.current_step and coalesce(l.accepted_at, l.sent_at) is not null and l.failed_at is null and b.completed_at is null
          and b.contact_id is not null and l.step < jsonb_array_length(k.steps) - 1 as goes_on) t
    ) n
    where e.company_id = n.company_id and e._id = n._id;
  return null;
end
$$;
create trigger enrollments_advanced after update on messages referencing old table as previous new table as written
  for each statement execute function advance_enrollments();

-- What the record of a campaign shows of its counters.
create function campaign_totals(company text, campaign text) returns json
language sql stable as $$
  select json_build_object('enrolled', coalesce(sum(amount) filter (where name = 'enrolled'), 0),
    'sent', coalesce(sum(amount) filter (where name = 'sent'), 0), 'failed', coalesce(sum(amount) filter (where name = 'failed'), 0))
  from (
    select c.name, c.amount from campaign_counters c where c.company_id = company and c.campaign_id = campaign and c.scope = 'total'
    union all select c.name, c.amount from campaign_changes c where c.company_id = company and c.campaign_id = campaign and c.scope = 'total'
  ) c
$$;

-- Returns the counters of a campaign that differ from a count of its enrollments and sends. One statement sees both as they are at one moment,
-- so nobody has to wait.
create function campaign_differences(company text, campaign text) returns table (scope text, name text, kept bigint, counted bigint)
language sql stable as $$
  select scope, name, coalesce(k.amount, 0)::bigint, coalesce(n.amount, 0)::bigint
  from (
    select m.scope, m.name, count(*) as amount from campaign_enrollments e cross join lateral enrollment_marks(e) m
      where e.company_id = company and e.campaign_id = campaign group by 1, 2
    union all
    select m.scope, m.name, count(*) from campaign_sends s cross join lateral send_marks(s) m
      where s.company_id = company and s.campaign_id = campaign group by 1, 2
  ) n full join (
    select b.scope, b.name, sum(b.amount) as amount from (
      select c.scope, c.name, c.amount from campaign_counters c where c.company_id = company and c.campaign_id = campaign
      union all select c.scope, c.name, c.amount from campaign_changes c where c.company_id = company and c.campaign_id = campaign
    ) b group by 1, 2
  ) k using (scope, name)
  where coalesce(n.amount, 0) <> coalesce(k.amount, 0)
$$;

-- Mends the counters of a campaign, and returns those that were wrong. Two calls at once would mend twice, so the second one waits.
create function recount_campaign(company text, campaign text) returns table (scope text, name text, kept bigint, counted bigint)
language plpgsql as $$
#variable_conflict use_column
begin
  perform pg_advisory_xact_lock(hashtextextended('recount ' || company || campaign, 0));
  return query with wrong as materialized (select * from campaign_differences(company, campaign)),
    mended as (
      insert into campaign_changes (company_id, campaign_id, scope, name, amount)
        select company, campaign, w.scope, w.name, w.counted - w.kept from wrong w
    )
    select w.scope, w.name, w.kept, w.counted from wrong w order by 1, 2;
end
$$;
revoke execute on function recount_campaign, campaign_differences from public;
grant execute on function recount_campaign, campaign_differences to parley_system;

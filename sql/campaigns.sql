create or replace function campaign_hour(at timestamp with time zone) returns text
language sql stable
return to_char(date_trunc('hour', at at time zone 'UTC'), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Return what an enrollment and a send count as. The triggers below and the recount use the same functions.
create or replace function enrollment_marks(e campaign_enrollments) returns table (scope text, name text)
language sql stable as $$
  select m.scope, m.name from (values
    ('total', 'enrolled', true), ('total', 'pending', e.status = 'PENDING'), ('total', 'cancelled', e.status = 'CANCELLED'),
    ('total', 'skipped', e.skip_reason is not null), ('skipped', e.skip_reason, e.skip_reason is not null),
    ('total', 'sent', e.sent_at is not null), ('total', 'delivered', e.delivered_at is not null),
    ('total', 'read', e.read_at is not null), ('total', 'replied', e.replied_at is not null),
    ('total', 'failed', e.failed_at is not null)
  ) m (scope, name, holds) where m.holds
$$;

create or replace function send_marks(s campaign_sends) returns table (scope text, name text)
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

create or replace function count_enrollments() returns trigger language plpgsql as $$
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
create or replace trigger counted_insert after insert on campaign_enrollments referencing new table as written
  for each statement execute function count_enrollments();
create or replace trigger counted_update after update on campaign_enrollments referencing old table as previous new table as written
  for each statement execute function count_enrollments();

create or replace function count_sends() returns trigger language plpgsql as $$
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
create or replace trigger counted_insert after insert on campaign_sends referencing new table as written
  for each statement execute function count_sends();
create or replace trigger counted_update after update on campaign_sends referencing old table as previous new table as written
  for each statement execute function count_sends();

-- An enrollment whose contact was erased gets no further message and keeps nothing of the contact.
create or replace function forget_enrolled() returns trigger language plpgsql as $$
begin
  new.recipient := null;
  new.next_run_at := null;
  new.completed_at := coalesce(new.completed_at, now());
  if new.status = 'PENDING' and new.message_id is null then new.status := 'CANCELLED'; end if;
  return new;
end
$$;
create or replace trigger forgotten before update of contact_id on campaign_enrollments for each row
  when (old.contact_id is not null and new.contact_id is null) execute function forget_enrolled();

-- For processes of the earlier release, until they are restarted: applies what becomes of a message to its enrollment. Processes of this release
-- do it themselves (src/features/messages/ingest-enrollments.ts) and say so in their sessions. Both are to be removed in the next release.
create or replace function advance_enrollments() returns trigger language plpgsql as $$
begin
  if current_setting('app.moves_enrollments', true) = 'on' then return null; end if;
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
      select b.company_id, b._id, a.sent_at, a.delivered_at, a.read_at, case when t.fails then l.failed_at end as failed_at,
        case when t.fails then jsonb_build_object('code', l.code, 'message', l.cause) end as failure_reason,
        case when b.status in ('CANCELLED', 'SKIPPED') then b.status when t.fails then 'FAILED' when b.replied_at is not null then 'REPLIED'
          when l.sent_at is not null and jsonb_array_length(k.steps) > 1 and l.step = jsonb_array_length(k.steps) - 1 then 'COMPLETED'
          when a.read_at is not null then 'READ' when a.delivered_at is not null then 'DELIVERED' when a.sent_at is not null then 'SENT'
          else 'PENDING' end as status,
        t.goes_on,
        l.failed_at is not null or (coalesce(l.accepted_at, l.sent_at) is not null and (t.is_over or l.step = jsonb_array_length(k.steps) - 1)) as ends,
        (k.steps -> (b.current_step + 1) ->> 'delay_minutes')::int as delay_minutes
      from (select distinct w.company_id, w.enrollment_id from written w where w.enrollment_id is not null) c
        join campaign_enrollments b on b.company_id = c.company_id and b._id = c.enrollment_id
        join campaigns k on k.company_id = b.company_id and k._id = b.campaign_id
        join lateral (select * from campaign_sends s where s.company_id = b.company_id and s.enrollment_id = b._id
          order by s.step desc limit 1) l on true
        cross join lateral (select min(s.sent_at) as sent_at, min(s.delivered_at) as delivered_at, min(s.read_at) as read_at
          from campaign_sends s where s.company_id = b.company_id and s.enrollment_id = b._id) a
        cross join lateral (select k.status in ('CANCELLED', 'FAILED') as is_over) o
        cross join lateral (select o.is_over,
          l.failed_at is not null and not (b.replied_at is not null and l.code = 'CAMPAIGN_CANCELLED') as fails,
          not o.is_over and l.step = b.current_step and coalesce(l.accepted_at, l.sent_at) is not null and l.failed_at is null
            and b.completed_at is null and b.contact_id is not null and l.step < jsonb_array_length(k.steps) - 1 as goes_on) t
    ) n
    where e.company_id = n.company_id and e._id = n._id;
  return null;
end
$$;
create or replace trigger enrollments_advanced after update on messages referencing old table as previous new table as written
  for each statement execute function advance_enrollments();

-- Returns the counters that the record of a campaign shows.
create or replace function campaign_totals(company text, campaign text) returns json
language sql stable as $$
  select json_build_object('enrolled', coalesce(sum(amount) filter (where name = 'enrolled'), 0),
    'sent', coalesce(sum(amount) filter (where name = 'sent'), 0), 'failed', coalesce(sum(amount) filter (where name = 'failed'), 0))
  from (
    select c.name, c.amount from campaign_counters c where c.company_id = company and c.campaign_id = campaign and c.scope = 'total'
    union all select c.name, c.amount from campaign_changes c where c.company_id = company and c.campaign_id = campaign and c.scope = 'total'
  ) c
$$;

-- Returns the counters of a campaign that differ from a count of its enrollments and sends. One statement sees both as they are at one moment,
-- so no writer has to wait.
create or replace function campaign_differences(company text, campaign text) returns table (scope text, name text, kept bigint, counted bigint)
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
revoke execute on function campaign_differences from public;
grant execute on function campaign_differences to parley_system;

-- Corrects the counters of a campaign, and returns those that were wrong. Two concurrent calls would correct twice, so the second one waits.
create or replace function recount_campaign(company text, campaign text) returns table (scope text, name text, kept bigint, counted bigint)
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
revoke execute on function recount_campaign from public;
grant execute on function recount_campaign to parley_system;

create or replace trigger inserted after insert on campaign_enrollments referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on campaign_enrollments referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on campaign_enrollments for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated_unbounded();

create or replace trigger inserted after insert on campaigns referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on campaigns referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on campaigns for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated();

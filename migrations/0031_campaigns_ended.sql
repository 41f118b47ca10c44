-- A message that is accepted after its campaign was cancelled plans no further step, and ends its enrollment. A contact who has replied stays
-- REPLIED, and does not count as failed, when a message that waited for its time is not sent any more. All else is as in 0018_campaigns.sql.

create or replace function advance_enrollments() returns trigger language plpgsql as $$
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

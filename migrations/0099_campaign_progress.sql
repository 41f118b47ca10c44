-- The progress of campaigns in live streams, and a count anew that stops nobody.
set local lock_timeout = '2s';

-- A worker renews its hold on a campaign every second, which nobody sees: only changes of what the record shows are noted.
create function note_campaign() returns trigger
language plpgsql as $$
begin
  insert into record_changes (company_id, kind, record_ids)
    select l.company_id, 'campaigns', array[coalesce(new._id, old._id)] from live_companies l
    where l.company_id = coalesce(new.company_id, old.company_id) and l.noted_until > now();
  return null;
end
$$;
create trigger noted after insert or delete on campaigns for each row execute function note_campaign();
create trigger noted_update after update on campaigns for each row
  when (old.updated_at <> new.updated_at or old.status <> new.status) execute function note_campaign();

-- The sums of the counters change once a second at most, however many contacts change.
create function note_campaign_counters() returns trigger
language plpgsql as $$
begin
  insert into record_changes (company_id, kind, record_ids)
    select w.company_id, 'campaigns', array_agg(distinct w.campaign_id) from written w
    where exists (select from live_companies l where l.company_id = w.company_id and l.noted_until > now())
    group by w.company_id;
  return null;
end
$$;
create trigger noted_insert after insert on campaign_counters referencing new table as written for each statement
  execute function note_campaign_counters();
create trigger noted_update after update on campaign_counters referencing new table as written for each statement
  execute function note_campaign_counters();

drop function recount_campaign(text, text);

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

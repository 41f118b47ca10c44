-- Adds the messages from before 0050_messages_activity.sql. Each portion is locked, so that a status that arrives now finds its row. Row security
-- may apply to the owner, who would then see no row.
set role parley_system;
do $$ declare company text; place text; begin
  for company in select _id from companies loop place := ''; while place is not null loop
    with portion as (select company_id, _id, inbox_id, updated_at, status, created_at from messages where company_id = company and _id > place
        order by _id limit 1000 for no key update),
      written as (insert into message_activity (company_id, _id, inbox_id, updated_at, queued_at)
        select company_id, _id, inbox_id, updated_at, case when status = 'QUEUED' then created_at end from portion on conflict do nothing)
    select max(_id) into place from portion; commit; end loop; end loop; end $$;
insert into inbox_acceptances (company_id, inbox_id, at)
  select i.company_id, i._id, m.sent_at from inboxes i cross join lateral (select sent_at from messages
    where company_id = i.company_id and inbox_id = i._id and message_type = 'OUTGOING' and sent_at is not null order by sent_at desc limit 1) m
  on conflict do nothing;
reset role;
analyze message_activity, inbox_acceptances;
drop index concurrently if exists messages_updated;
drop index concurrently if exists messages_changed;
drop index concurrently if exists messages_queued;
drop index concurrently if exists messages_accepted;

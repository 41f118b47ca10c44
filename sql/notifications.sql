-- Whether notifications of a kind are shown in a place ('console', 'browser', 'push', 'mail') until the user chooses. Only what is meant for the
-- user alone is mailed.
create or replace function notifies_by_default(about text, place text) returns boolean
language sql immutable parallel safe as $$
  select about <> 'UNASSIGNED_NEW' and (place <> 'mail' or about in ('ASSIGNED', 'MENTIONED', 'NOT_SENT'))
$$;

-- Whether a user is notified of a kind.
create or replace function is_notified(company text, receiver text, about text) returns boolean
language sql stable as $$
  select exists (select from users where company_id = company and _id = receiver and status <> 'INACTIVE')
    and coalesce((select in_console from notification_settings where company_id = company and user_id = receiver and kind = about),
      notifies_by_default(about, 'console'))
$$;

-- Writes a notification, or raises the unread one of the same kind about the same conversation. `counted` adds one to its count.
create or replace function raise_notification(company text, receiver text, about text, conversation text, message text, actor jsonb, counted boolean)
returns void
language plpgsql as $$
begin
  insert into notifications as n (company_id, _id, user_id, kind, conversation_id, message_id, actor_type, actor_id, actor_name)
    values (company, new_id(), receiver, about, conversation, message, actor ->> 'type', actor ->> 'id', actor ->> 'name')
    on conflict (company_id, user_id, kind, conversation_id) where read_at is null do update
      set count = n.count + counted::int, message_id = excluded.message_id, actor_type = excluded.actor_type,
        actor_id = excluded.actor_id, actor_name = excluded.actor_name, created_at = now(), updated_at = now();
end
$$;

-- Notifies a user of a change of a conversation by someone else. Changes by the same actor that follow each other within a minute, such as those of
-- a bulk change, share one notification, which then names no conversation.
create or replace function notify_change(company text, receiver text, about text, conversation text) returns void
language plpgsql as $$
declare
  actor jsonb := current_actor();
begin
  if actor ->> 'type' = 'USER' and actor ->> 'id' = receiver or not is_notified(company, receiver, about)
    or not sees_conversation(company, conversation, receiver) then return; end if;
  update notifications n set count = n.count + (n.conversation_id is distinct from conversation)::int,
      conversation_id = case when n.conversation_id = conversation then conversation end, created_at = now(), updated_at = now()
    where n.company_id = company and n._id = (select _id from notifications
      where company_id = company and user_id = receiver and kind = about and read_at is null
        and actor_id is not distinct from actor ->> 'id' and created_at > now() - interval '1 minute'
      order by created_at desc, _id desc limit 1 for update);
  if not found then perform raise_notification(company, receiver, about, conversation, null, actor, false); end if;
end
$$;

-- Triggers notify of changes of conversations, so no code can forget it. Of a conversation that a contact opens, its owner is notified by the
-- contact's message. The inserted conversations that show a message already are those of campaigns and bulk sends.
create or replace function notify_owner() returns trigger
language plpgsql as $$
begin
  if is_merging() then return null; end if;
  if tg_op = 'UPDATE' or current_actor() is not null then
    perform notify_change(new.company_id, new.owner_id, 'ASSIGNED', new._id);
  end if;
  return null;
end
$$;
create or replace trigger notified_owner after update of owner_id on conversations for each row
  when (new.owner_id is not null and new.owner_id is distinct from old.owner_id) execute function notify_owner();
create or replace trigger notified_first_owner after insert on conversations for each row
  when (new.owner_id is not null and new.last_message_id is null) execute function notify_owner();

-- Many conversations may be opened, reopened or handed over by agents at once, by contacts of several companies: each user gets one change for all of them. The rule for
-- a single change is that of notify_change. Those of a team notify its members, unless it gives
-- them out itself: then only the member who gets one is notified. All others notify the users who have chosen it, because it is off by default.
-- Those of blocked contacts notify only if a user or a key reopens or moves them.
create or replace function notify_queue() returns trigger
language plpgsql as $$
declare
  actor jsonb := current_actor();
  companies text[];
  ids text[];
  teams text[];
begin
  if is_merging() then return null; end if;
  if tg_op = 'INSERT' then
    select array_agg(company_id), array_agg(_id), array_agg(team_id) into companies, ids, teams from opened
      where status = 'OPEN' and owner_id is null and handled_by <> 'AI' and last_message_id is null;
  else
    -- However many rows there are, these read each of them once; the plan of a join could be that for few rows.
    select array_agg(company_id), array_agg(_id), array_agg(team_id) into companies, ids, teams from (
      (select company_id, _id, null as team_id from earlier
          where status = 'CLOSED' or handled_by = 'AI' and coalesce(actor ->> 'type' <> 'USER', true)
        intersect select company_id, _id, null from opened
          where status <> 'CLOSED' and owner_id is null and team_id is null and handled_by <> 'AI')
      union all (select company_id, _id, team_id from opened
          where team_id is not null and status <> 'CLOSED' and owner_id is null and handled_by <> 'AI'
        except select company_id, _id, team_id from earlier where status <> 'CLOSED' and owner_id is null and handled_by <> 'AI')) arrived;
  end if;
  if ids is null then return null; end if;
  with arrived as materialized (
    select * from unnest(companies, ids, teams) as o (company_id, _id, team_id)
  ), told as (
    select o.company_id, o._id, s.user_id, s.kind from arrived o
      join notification_settings s on s.company_id = o.company_id and s.kind = 'UNASSIGNED_NEW' and s.in_console
      where o.team_id is null
    union all select o.company_id, o._id, m.user_id, 'TEAM_ASSIGNED' from arrived o
      join teams t on t.company_id = o.company_id and t._id = o.team_id and t.distribution = 'MANUAL'
      join team_members m on m.company_id = o.company_id and m.team_id = o.team_id
        left join notification_settings s on s.company_id = m.company_id and s.user_id = m.user_id and s.kind = 'TEAM_ASSIGNED'
      where coalesce(s.in_console, notifies_by_default('TEAM_ASSIGNED', 'console'))
  ), news as materialized (
    select t.company_id, t.user_id, t.kind, count(*)::int as count, case when count(*) = 1 then min(t._id) end as conversation_id
    from told t join users u on u.company_id = t.company_id and u._id = t.user_id and u.status <> 'INACTIVE'
    where not coalesce(actor ->> 'type' = 'USER' and actor ->> 'id' = t.user_id, false)
      and (coalesce(actor ->> 'type' in ('USER', 'KEY'), false) or not has_blocked_contact(t.company_id, t._id))
      and sees_conversation(t.company_id, t._id, t.user_id)
    group by t.company_id, t.user_id, t.kind order by t.company_id, t.user_id, t.kind
  ), recent as materialized (
    select news.*, n._id from news cross join lateral (
      select _id from notifications where company_id = news.company_id and user_id = news.user_id and kind = news.kind and read_at is null
        and actor_id is not distinct from actor ->> 'id' and created_at > now() - interval '1 minute'
      order by created_at desc, _id desc limit 1 for update) n
  ), raised as (
    update notifications n set created_at = now(), updated_at = now(),
      count = n.count + case when n.conversation_id = r.conversation_id then 0 else r.count end,
      conversation_id = case when n.conversation_id = r.conversation_id then n.conversation_id end
    from recent r where n.company_id = r.company_id and n._id = r._id returning n.company_id, n.user_id, n.kind
  )
  insert into notifications as n (company_id, _id, user_id, kind, conversation_id, count, actor_type, actor_id, actor_name)
    select company_id, new_id(), user_id, kind, conversation_id, count, actor ->> 'type', actor ->> 'id', actor ->> 'name'
    from news where (company_id, user_id, kind) not in (select company_id, user_id, kind from raised) order by company_id, user_id, kind
    on conflict (company_id, user_id, kind, conversation_id) where read_at is null do update set actor_type = excluded.actor_type,
      actor_id = excluded.actor_id, actor_name = excluded.actor_name, created_at = now(), updated_at = now();
  return null;
end
$$;
create or replace trigger notified_queue after insert on conversations referencing new table as opened
  for each statement execute function notify_queue();
create or replace trigger notified_queue_again after update on conversations referencing old table as earlier new table as opened
  for each statement execute function notify_queue();

-- Notifies the members of a team that assigns by itself, once per conversation, of conversations that wait because no member who sees their
-- inbox has capacity. `served` has the inboxes that a free member sees. If no member sees an inbox, the users who follow new conversations are
-- notified. Of very many conversations, the contacts who have waited longest are known already.
create or replace function notify_waiting(company text, team text, served text[]) returns void
language sql as $$
  insert into notifications (company_id, _id, user_id, kind, conversation_id)
    select company, new_id(), u._id, r.kind, w._id
    from (select _id, waiting_since from conversations v where company_id = company and team_id = team and waits_for_member(v)
          and inbox_id <> all (served) and not has_blocked_contact(company, v._id)
        order by waiting_since desc nulls last, _id desc limit 20) w
      cross join lateral (select user_id, 'TEAM_ASSIGNED' as kind from team_members where company_id = company and team_id = team
        union all select user_id, kind from notification_settings where company_id = company and kind = 'UNASSIGNED_NEW' and in_console
          and not exists (select from team_members m
            where m.company_id = company and m.team_id = team and sees_conversation(company, w._id, m.user_id))) r
      join users u on u.company_id = company and u._id = r.user_id and u.status <> 'INACTIVE'
      left join notification_settings s on s.company_id = u.company_id and s.user_id = u._id and s.kind = r.kind
    where coalesce(s.in_console, notifies_by_default(r.kind, 'console')) and sees_conversation(company, w._id, u._id)
      and not exists (select from notifications n where n.company_id = company and n.user_id = u._id and n.kind = r.kind
        and n.conversation_id = w._id and n.created_at >= w.waiting_since)
    order by u._id, w._id
    on conflict (company_id, user_id, kind, conversation_id) where read_at is null do nothing
$$;

-- A user who replies or writes a note follows the conversation, and so do users whom a note mentions. Bulk sends are no replies.
create or replace function follow_written() returns trigger
language plpgsql as $$
declare
  mentioned text;
begin
  if new.sender_type = 'USER' and new.origin = 'DASHBOARD' then
    perform follow_conversation(new.company_id, new.conversation_id, new.sender_id, again => false);
  end if;
  for mentioned in select each from unnest(new.mentions) each where (new.sender_type <> 'USER' or each <> new.sender_id)
    and sees_conversation(new.company_id, new.conversation_id, each) order by each loop
    perform follow_conversation(new.company_id, new.conversation_id, mentioned, again => true);
    if is_notified(new.company_id, mentioned, 'MENTIONED') then
      perform raise_notification(new.company_id, mentioned, 'MENTIONED', new.conversation_id, new._id, current_actor(), true);
    end if;
  end loop;
  return null;
end
$$;
create or replace trigger followed after insert on messages for each row
  when (new.mentions <> '{}' or new.sender_type = 'USER' and new.origin = 'DASHBOARD') execute function follow_written();

create or replace trigger noted_insert after insert on notifications referencing new table as written
  for each statement execute function note_personal_changes('notifications');
create or replace trigger noted_update after update on notifications referencing new table as written
  for each statement execute function note_personal_changes('notifications');

-- Queues what was written or raised for the browsers of its user. A notification that already waits for a browser is pushed once, as it is then.
-- The browsers are locked first, as by those who delete one with its pushes.
create or replace function queue_pushes(companies text[], ids text[]) returns void
language sql as $$
  with told as materialized (
    select n.company_id, s._id as subscription_id, n._id as notification_id
    from unnest(companies, ids) as w (company_id, _id)
      join notifications n on n.company_id = w.company_id and n._id = w._id
      join push_subscriptions s on s.company_id = n.company_id and s.user_id = n.user_id
      join users u on u.company_id = s.company_id and u._id = s.user_id and u.session_version = s.session_version and u.status = 'ACTIVE'
      left join notification_settings t on t.company_id = n.company_id and t.user_id = n.user_id and t.kind = n.kind
    where coalesce(t.in_push, notifies_by_default(n.kind, 'push'))
    order by n.company_id, s._id, n._id for key share of s
  )
  insert into pushes as p (company_id, _id, subscription_id, notification_id)
    select company_id, new_id(), subscription_id, notification_id from told order by company_id, subscription_id, notification_id
    on conflict (company_id, subscription_id, notification_id) do update
      set is_waiting = true, claimed_at = null, held_until = null, attempts = 0
$$;

create or replace function push_written() returns trigger
language plpgsql as $$
begin
  -- Most installations have no such browser, and then this is all that it costs.
  if not exists (select from push_subscriptions) then return null; end if;
  perform queue_pushes(array_agg(company_id), array_agg(_id)) from written where read_at is null;
  return null;
end
$$;
create or replace trigger pushed_insert after insert on notifications referencing new table as written
  for each statement execute function push_written();

create or replace function push_raised() returns trigger
language plpgsql as $$
begin
  if not exists (select from push_subscriptions) then return null; end if;
  perform queue_pushes(array_agg(company_id), array_agg(_id)) from (
    select company_id, _id, created_at from written where read_at is null
    except select company_id, _id, created_at from earlier where read_at is null) raised;
  return null;
end
$$;
create or replace trigger pushed_update after update on notifications referencing old table as earlier new table as written
  for each statement execute function push_raised();

-- The push to a browser ends when its user logs out. A session that expires leaves it alone: push is for when the console is closed.
create or replace function end_push() returns trigger
language plpgsql as $$
begin
  delete from push_subscriptions where session_hash = old.token_hash and company_id = old.company_id;
  return null;
end
$$;
create or replace trigger push_ends after delete on browser_sessions for each row
  when (old.expires_at > now()) execute function end_push();

-- A missed target of an SLA policy notifies the owner, or the members of the team of a conversation without one, or else those who follow the queue.
create or replace function notify_breach() returns trigger
language plpgsql as $$
declare
  companies text[];
  ids text[];
begin
  -- Targets that were missed before a merge are no news.
  if is_merging() then return null; end if;
  select array_agg(company_id), array_agg(conversation_id) into companies, ids from (
    select company_id, conversation_id, breached_at from written where breached_at is not null
    except select company_id, conversation_id, breached_at from earlier) missed;
  if ids is null then return null; end if;
  insert into notifications as n (company_id, _id, user_id, kind, conversation_id)
    select v.company_id, new_id(), u._id, 'SLA_BREACHED', v._id
    from unnest(companies, ids) as c (company_id, _id)
      join conversations v on v.company_id = c.company_id and v._id = c._id
      cross join lateral (select v.owner_id as user_id where v.owner_id is not null
        union all select m.user_id from team_members m where v.owner_id is null and m.company_id = v.company_id and m.team_id = v.team_id
        union all select q.user_id from notification_settings q where v.owner_id is null and v.team_id is null
          and q.company_id = v.company_id and q.kind = 'UNASSIGNED_NEW' and q.in_console) r
      join users u on u.company_id = v.company_id and u._id = r.user_id and u.status <> 'INACTIVE'
      left join notification_settings s on s.company_id = u.company_id and s.user_id = u._id and s.kind = 'SLA_BREACHED'
    where coalesce(s.in_console, notifies_by_default('SLA_BREACHED', 'console')) and sees_conversation(v.company_id, v._id, u._id)
    order by v.company_id, u._id, v._id
    on conflict (company_id, user_id, kind, conversation_id) where read_at is null do update
      set count = n.count + 1, message_id = null, actor_type = null, actor_id = null, actor_name = null, created_at = now(), updated_at = now();
  return null;
end
$$;
create or replace trigger notified_breach after update on conversation_slas referencing old table as earlier new table as written
  for each statement execute function notify_breach();

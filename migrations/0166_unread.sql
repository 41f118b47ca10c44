-- Which open conversations hold something unread, and whose they are, so that they are counted from an index. An index on the unread count of
-- the conversations themselves would be written for each message together with all their other indexes.
set local lock_timeout = '2s';

alter table conversation_activity
  -- False for a closed conversation.
  add column is_unread boolean not null default false,
  -- The owner of an unread conversation; null for nobody, and while nothing is unread.
  add column owner_id text collate "C";

create or replace function begin_conversation_activity() returns trigger
language plpgsql as $$
begin
  insert into conversation_activity (company_id, record_id, active_at, status, is_unread, owner_id)
    select company_id, _id, coalesce(last_message_at, '-infinity'), status, unread_count > 0 and status <> 'CLOSED',
      case when unread_count > 0 and status <> 'CLOSED' then owner_id end from added;
  return null;
end
$$;

create or replace function move_conversation_activity() returns trigger
language plpgsql as $$
begin
  update conversation_activity a
    set active_at = n.active_at, status = n.status, is_unread = n.is_unread, owner_id = n.owner_id
    from (select company_id, _id, coalesce(last_message_at, '-infinity') as active_at, status,
        unread_count > 0 and status <> 'CLOSED' as is_unread,
        case when unread_count > 0 and status <> 'CLOSED' then owner_id end as owner_id from changed) n
    where a.company_id = n.company_id and a.record_id = n._id
      and (a.active_at <> n.active_at or a.status <> n.status or a.is_unread <> n.is_unread or a.owner_id is distinct from n.owner_id);
  return null;
end
$$;

set local role parley_system;
update conversation_activity a set is_unread = true, owner_id = v.owner_id from conversations v
  where v.company_id = a.company_id and v._id = a.record_id and v.unread_count > 0 and v.status <> 'CLOSED';

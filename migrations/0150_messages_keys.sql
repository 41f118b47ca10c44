-- The networks' ids of messages get a table of their own. A unique index of messages would have to name the column by which messages are
-- partitioned, and every accepted message would write all indexes again when it gets its id.

-- As in sql/messages.sql.
create function message_key(inbox text, external_id text) returns uuid
language sql immutable parallel safe
return encode(substr(sha256(decode(replace(inbox || ' ' || external_id, '\', '\\'), 'escape')), 1, 16), 'hex')::uuid;

create table message_keys (
  -- Without foreign keys, like message_search: triggers of messages remove these rows, and each key would be checked for each message.
  company_id text collate "C" not null,
  key uuid not null,
  message_id text collate "C" not null,
  primary key (company_id, key)
);
call tenant_table('message_keys');

create function move_message_key() returns trigger
language plpgsql as $$
begin
  if old.external_id is not null then
    delete from message_keys where company_id = old.company_id and key = message_key(old.inbox_id, old.external_id);
  end if;
  if new.external_id is not null then
    insert into message_keys (company_id, key, message_id) values (new.company_id, message_key(new.inbox_id, new.external_id), new._id);
  end if;
  return null;
end
$$;
create trigger key_moves after update of external_id on messages for each row
  when (old.external_id is distinct from new.external_id) execute function move_message_key();

create function end_message() returns trigger
language plpgsql as $$
declare
  message record;
begin
  for message in select company_id, _id, inbox_id, external_id, updated_at from gone loop
    delete from message_search s where s.company_id = message.company_id and s._id = message._id;
    delete from message_activity a where a.company_id = message.company_id and a.updated_at = message.updated_at and a._id = message._id;
    if message.external_id is not null then
      delete from message_keys k where k.company_id = message.company_id and k.key = message_key(message.inbox_id, message.external_id);
    end if;
  end loop;
  return null;
end
$$;
create trigger ends after delete on messages
  referencing old table as gone for each statement execute function end_message();

-- Until 0152_messages_keys.sql, processes of the release before store messages without their keys.
create function key_earlier_message() returns trigger
language plpgsql as $$
begin
  insert into message_keys (company_id, key, message_id)
    select company_id, message_key(inbox_id, external_id), _id from added where external_id is not null on conflict do nothing;
  return null;
end
$$;
create trigger key_begins after insert on messages
  referencing new table as added for each statement execute function key_earlier_message();

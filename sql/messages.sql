-- Returns the words of a text as the search compares them: without case and accents, split at blanks and punctuation, and cut after 64
-- characters, for which only longer texts have to be looked through. Each begins with the end of `company`, the company's id or the prefix of a
-- part of its messages. So the index keeps the words of companies and of parts apart, and a search reads those of one part at a time.
create or replace function message_words(company text, content text) returns tsvector
language sql immutable parallel safe
return array_to_tsvector(array_remove(array_remove(string_to_array(
  regexp_replace(' ' || case when octet_length(content) <= 64 then fold(content)
      else regexp_replace(fold(left(content, 8192)), '([^\u0001-\u002f\u003a-\u0040\u005b-\u0060]{64})[^\u0001-\u002f\u003a-\u0040\u005b-\u0060]+', '\1', 'g') end,
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f]+', ' ' || right(company, 8), 'g'),
  ' '), ''), right(company, 8)));

-- Returns the query for messages of a part of message_search with words that begin with each word of a search; null when the search has no words.
create or replace function message_part_query(prefix text, search text) returns tsquery
language sql immutable parallel safe
return (select case when words = '{}' then null else ('''' || array_to_string(words, ''':* & ''') || ''':*')::tsquery end
  from tsvector_to_array(message_words(prefix, search)) words);

-- Returns what the words of a part begin with, in the place of the company's id. No word of a message has a full stop, so the words of no two
-- parts are alike.
create or replace function message_prefix(company text, part integer) returns text
language sql immutable parallel safe
return coalesce(to_hex(part) || '.', right(company, 8));

-- Lists the parts of a company's messages: each has those that were created from its start on, and before its end. The first one is null.
create or replace function list_message_parts(company text)
returns table (part integer, starts_at timestamp with time zone, ends_at timestamp with time zone)
language sql stable
begin atomic
  select p.part, p.starts_at, lead(p.starts_at, 1, 'infinity') over (order by p.starts_at)
    from (select null::integer as part, '-infinity'::timestamptz as starts_at
      union all select m.part, m.starts_at from message_parts m where m.company_id = company) p;
end;

-- Returns the query for the messages of all parts. Processes of the release before use it. It is called immutable, as it was, so that PostgreSQL makes
-- the query once for a statement, while it plans: none of these statements is prepared.
create or replace function message_query(company text, search text) returns tsquery
language sql immutable
return (select string_agg('(' || message_part_query(message_prefix(company, part), search)::text || ')', '|' order by starts_at desc)::tsquery
  from list_message_parts(company));

-- Begins a part when the last one has so many messages. It starts in a minute: by then every transaction sees it, so all messages that are created
-- from then on are in it. Two transactions may begin one at the same moment, which only makes a part smaller.
create or replace function begin_message_part(company text, size integer default 65536) returns void
language plpgsql as $$
declare
  last timestamptz(3) := (select starts_at from message_parts where company_id = company order by starts_at desc limit 1);
begin
  if last > now() or not exists (select from message_search
      where company_id = company and created_at >= coalesce(last, '-infinity') order by created_at desc offset size - 1 limit 1) then return; end if;
  insert into message_parts (company_id, starts_at, is_filling)
    select company, greatest(now() + interval '1 minute', max(created_at) + interval '1 millisecond'), last is null
    from message_search where company_id = company
    on conflict do nothing;
end
$$;

-- Looks for companies with so many messages before their first part that these have to move into parts, such as all messages of an installation that
-- had no parts, or imported ones.
create or replace function find_undivided_messages(companies text[], size integer default 65536) returns void
language sql as $$
  select begin_message_part(company, size) from unnest(companies) company
    where not exists (select from message_parts where company_id = company);
  update message_parts p set is_filling = true
    where not is_filling and (company_id, starts_at) in (
        select company_id, min(starts_at) from message_parts where company_id = any(companies) group by company_id)
      and exists (select from message_search s
        where s.company_id = p.company_id and s.created_at < p.starts_at order by s.created_at desc offset 2 * size limit 1);
$$;

-- Moves the newest messages from before the first part of a company into that part, or into a new one when it is full, until some two parts of
-- them are left. Returns how many were moved; 0 also when a transaction is using them. Readers see the messages and the start of the part change
-- together.
create or replace function fill_message_part(size integer default 65536, portion integer default 500) returns integer
language plpgsql as $$
declare
  company text := (select company_id from message_parts where is_filling and starts_at < now() - interval '1 minute'
    order by random() limit 1);
  head message_parts;
  edge timestamptz(3);
  moved_rows integer;
begin
  if company is null or not pg_try_advisory_xact_lock(hashtextextended('message parts ' || company, 0)) then return 0; end if;
  select * into head from message_parts where company_id = company order by starts_at limit 1;
  select min(created_at) into edge from (select created_at from message_search
    where company_id = company and created_at < head.starts_at order by created_at desc limit portion) near;
  if edge is null or head.moved = 0 or head.moved >= size then
    update message_parts set is_filling = false where company_id = company and is_filling;
    if not exists (select from message_search
        where company_id = company and created_at < head.starts_at order by created_at desc offset 2 * size limit 1) then return 0; end if;
    insert into message_parts (company_id, starts_at, is_filling) values (company, edge, true) returning part, 0 into head.part, head.moved;
  end if;
  -- A transaction that changes one of these rows may wait for another one of them.
  perform from message_search where company_id = company and created_at >= edge and created_at < head.starts_at for update nowait;
  update message_search s set part = head.part, words = array_to_tsvector(array(
      select message_prefix(company, head.part) || substr(word, 9) from unnest(tsvector_to_array(s.words)) word))
    where company_id = company and created_at >= edge and created_at < head.starts_at;
  get diagnostics moved_rows = row_count;
  update message_parts set starts_at = edge, moved = head.moved + moved_rows where company_id = company and part = head.part;
  return moved_rows;
exception when lock_not_available then return 0;
end
$$;

-- Triggers write message_search and message_activity, so no code can forget them. A trigger for each of them, for the stored bytes and for the live
-- streams would take a tenth more of the time that storing a message takes. Every 4,096th message looks whether the last part is full.
create or replace function begin_message() returns trigger
language plpgsql as $$
declare
  is_dated boolean;
  is_round boolean;
begin
  select bool_or(created_at < clock_timestamp() - interval '5 seconds'), bool_or(_id like '%000') into is_dated, is_round from added;
  -- Messages from before the first part may be moving into it just now. This begins a minute after its start, so it concerns only messages that
  -- are dated back.
  if is_dated then
    perform pg_advisory_xact_lock_shared(hashtextextended('message parts ' || company_id, 0))
      from (select company_id, min(created_at) as oldest from added group by company_id) written
      where oldest < (select min(starts_at) from message_parts p where p.company_id = written.company_id);
  end if;
  with active as (
    insert into message_activity (company_id, _id, inbox_id, updated_at, queued_at)
      select company_id, _id, inbox_id, updated_at, case when status = 'QUEUED' then created_at end from added
  ), counted as (
    insert into stored_changes (company_id, bytes) select company_id, sum(record_bytes) from added group by company_id
  )
  insert into message_search (company_id, _id, inbox_id, created_at, part, words)
    select company_id, _id, inbox_id, created_at, part, message_words(message_prefix(company_id, part), coalesce(content, ''))
    from (select *, (select part from message_parts p where p.company_id = added.company_id and starts_at <= created_at
        order by starts_at desc limit 1) as part from added offset 0) placed;
  if is_round then
    perform begin_message_part(company_id) from (select distinct company_id from added where _id like '%000') grown;
  end if;
  return null;
end
$$;
create or replace trigger begins after insert on messages
  referencing new table as added for each statement execute function begin_message();

create or replace function change_message_search() returns trigger
language plpgsql as $$
begin
  update message_search set words = message_words(message_prefix(company_id, part), coalesce(new.content, ''))
    where company_id = new.company_id and _id = new._id;
  return null;
end
$$;
create or replace trigger messages_search_changes after update of content on messages
  for each row when (new.content is distinct from old.content) execute function change_message_search();

-- Removes the rows one by one, by their whole key. A join that is planned while the table is small reads the whole table for each message, until
-- the table is analysed.
create or replace function move_message_activity() returns trigger
language plpgsql as $$
declare
  message record;
begin
  for message in select company_id, updated_at, _id from gone loop
    delete from message_activity a where a.company_id = message.company_id and a.updated_at = message.updated_at and a._id = message._id;
  end loop;
  insert into message_activity (company_id, _id, inbox_id, updated_at, queued_at)
    select company_id, _id, inbox_id, updated_at, case when status = 'QUEUED' then created_at end from added;
  return null;
end
$$;
create or replace trigger messages_activity_moves after update on messages
  referencing old table as gone new table as added for each statement execute function move_message_activity();

-- Removes what the message is found by, row by row for the same reason.
create or replace function end_message() returns trigger
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
create or replace trigger ends after delete on messages
  referencing old table as gone for each statement execute function end_message();

-- Returns the key of a message in message_keys: a hash of its inbox and the network's id.
create or replace function message_key(inbox text, external_id text) returns uuid
language sql immutable parallel safe
return encode(substr(sha256(decode(replace(inbox || ' ' || external_id, '\', '\\'), 'escape')), 1, 16), 'hex')::uuid;

-- Keeps the key of a message that gets its id from the network, or loses it. Messages that arrive have one when they are inserted.
create or replace function move_message_key() returns trigger
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
create or replace trigger key_moves after update of external_id on messages for each row
  when (old.external_id is distinct from new.external_id) execute function move_message_key();

-- Notes when the network has accepted a message of an inbox, unless the last second is noted already.
create or replace function note_acceptance() returns trigger
language plpgsql as $$
begin
  insert into inbox_acceptances (company_id, inbox_id, at)
    select new.company_id, new.inbox_id, new.sent_at where not exists (
      select from inbox_acceptances where company_id = new.company_id and inbox_id = new.inbox_id and at > new.sent_at - interval '1 second')
    on conflict do nothing;
  return null;
end
$$;
create or replace trigger acceptance_inserted after insert on messages for each row
  when (new.message_type = 'OUTGOING' and new.sent_at is not null) execute function note_acceptance();
create or replace trigger acceptance_updated after update of sent_at on messages for each row
  when (new.message_type = 'OUTGOING' and old.sent_at is null and new.sent_at is not null) execute function note_acceptance();

create or replace function remove_deleted_files() returns trigger language plpgsql as $$
begin
  perform remove_brought(company_id, array_agg(attachment_id)) from gone where attachment_id is not null group by company_id;
  return null;
end
$$;
create or replace trigger brought_deleted after delete on messages referencing old table as gone
  for each statement execute function remove_deleted_files();
create or replace trigger brought_deleted after delete on message_cards referencing old table as gone
  for each statement execute function remove_deleted_files();

create or replace function remove_replaced_file() returns trigger language plpgsql as $$
begin
  perform remove_brought(old.company_id, array[old.attachment_id]);
  return null;
end
$$;
create or replace trigger brought_replaced after update of attachment_id on messages for each row
  when (old.attachment_id is not null and old.attachment_id is distinct from new.attachment_id) execute function remove_replaced_file();

create or replace trigger inserted after insert on message_bodies referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on message_bodies referencing old table as gone
  for each statement execute function count_deleted();

create or replace trigger deleted after delete on messages referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on messages for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated_unbounded();
create or replace trigger noted_insert after insert on messages referencing new table as written
  for each statement execute function note_changes('messages');
create or replace trigger noted_update after update on messages referencing new table as written
  for each statement execute function note_changes('messages');

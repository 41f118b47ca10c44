-- Returns the words of a text as the search compares them: without case and accents, split at blanks and punctuation, and cut after 64
-- characters, for which only longer texts have to be looked through. Each begins with the end of the company's id, so the index keeps the
-- words of companies apart, and the messages of one do not slow down the search of another.
create or replace function message_words(company text, content text) returns tsvector
language sql immutable parallel safe
return array_to_tsvector(array_remove(array_remove(string_to_array(
  regexp_replace(' ' || case when octet_length(content) <= 64 then fold(content)
      else regexp_replace(fold(left(content, 8192)), '([^\u0001-\u002f\u003a-\u0040\u005b-\u0060]{64})[^\u0001-\u002f\u003a-\u0040\u005b-\u0060]+', '\1', 'g') end,
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f]+', ' ' || right(company, 8), 'g'),
  ' '), ''), right(company, 8)));

-- Returns the query for messages with words that begin with each word of a search; null when the search has no words.
create or replace function message_query(company text, search text) returns tsquery
language sql immutable parallel safe
return (select case when words = '{}' then null else ('''' || array_to_string(words, ''':* & ''') || ''':*')::tsquery end
  from tsvector_to_array(message_words(company, search)) words);

-- Triggers write message_search, so no code can forget it.
create or replace function begin_message_search() returns trigger
language plpgsql as $$
begin
  insert into message_search (company_id, _id, inbox_id, created_at, words)
    select company_id, _id, inbox_id, created_at, message_words(company_id, coalesce(content, '')) from added;
  return null;
end
$$;
create or replace trigger messages_search_begins after insert on messages
  referencing new table as added for each statement execute function begin_message_search();

create or replace function change_message_search() returns trigger
language plpgsql as $$
begin
  update message_search set words = message_words(new.company_id, coalesce(new.content, ''))
    where company_id = new.company_id and _id = new._id;
  return null;
end
$$;
create or replace trigger messages_search_changes after update of content on messages
  for each row when (new.content is distinct from old.content) execute function change_message_search();

create or replace function end_message_search() returns trigger
language plpgsql as $$
begin
  delete from message_search s using gone where s.company_id = gone.company_id and s._id = gone._id;
  return null;
end
$$;
create or replace trigger messages_search_ends after delete on messages
  referencing old table as gone for each statement execute function end_message_search();

-- Triggers write message_activity, so no code can forget it. A message is found there by its whole key, which leaves the planner no choice.
create or replace function begin_message_activity() returns trigger
language plpgsql as $$
begin
  insert into message_activity (company_id, _id, inbox_id, updated_at, queued_at)
    select company_id, _id, inbox_id, updated_at, case when status = 'QUEUED' then created_at end from added;
  return null;
end
$$;
create or replace trigger messages_activity_begins after insert on messages
  referencing new table as added for each statement execute function begin_message_activity();

create or replace function move_message_activity() returns trigger
language plpgsql as $$
begin
  delete from message_activity a using gone where a.company_id = gone.company_id and a.updated_at = gone.updated_at and a._id = gone._id;
  insert into message_activity (company_id, _id, inbox_id, updated_at, queued_at)
    select company_id, _id, inbox_id, updated_at, case when status = 'QUEUED' then created_at end from added;
  return null;
end
$$;
create or replace trigger messages_activity_moves after update on messages
  referencing old table as gone new table as added for each statement execute function move_message_activity();

create or replace function end_message_activity() returns trigger
language plpgsql as $$
begin
  delete from message_activity a using gone where a.company_id = gone.company_id and a.updated_at = gone.updated_at and a._id = gone._id;
  return null;
end
$$;
create or replace trigger messages_activity_ends after delete on messages
  referencing old table as gone for each statement execute function end_message_activity();

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

create or replace trigger inserted after insert on messages referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on messages referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on messages for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated_unbounded();
create or replace trigger noted_insert after insert on messages referencing new table as written
  for each statement execute function note_changes('messages');
create or replace trigger noted_update after update on messages referencing new table as written
  for each statement execute function note_changes('messages');

-- Messages, their files, the search in them, and what waits for them.

-- Returns the words of a text as the search compares them: without case and accents, split at blanks and punctuation, and cut after 64
-- characters, for which only longer texts have to be looked through. Each begins with the end of the company's id, so the index keeps the
-- words of companies apart, and the messages of one do not slow down the search of another.
create function message_words(company text, content text) returns tsvector
language sql immutable parallel safe
return array_to_tsvector(array_remove(array_remove(string_to_array(
  regexp_replace(' ' || case when octet_length(content) <= 64 then fold(content)
      else regexp_replace(fold(left(content, 8192)), '([^\u0001-\u002f\u003a-\u0040\u005b-\u0060]{64})[^\u0001-\u002f\u003a-\u0040\u005b-\u0060]+', '\1', 'g') end,
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f]+', ' ' || right(company, 8), 'g'),
  ' '), ''), right(company, 8)));

-- Returns the query for messages with words that begin with each word of a search; null when the search has no words.
create function message_query(company text, search text) returns tsquery
language sql immutable parallel safe
return (select case when words = '{}' then null else ('''' || array_to_string(words, ''':* & ''') || ''':*')::tsquery end
  from tsvector_to_array(message_words(company, search)) words);

create table messages (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  conversation_id text collate "C" not null,
  contact_id text collate "C" not null,
  inbox_id text collate "C" not null,
  channel text not null,
  sender_type text not null check (sender_type in ('CONTACT', 'USER', 'AGENT', 'SYSTEM')),
  sender_id text collate "C",
  message_type text not null check (message_type in ('INCOMING', 'OUTGOING', 'NOTE', 'SYSTEM')),
  origin text not null check (
    origin in ('API', 'DASHBOARD', 'AGENT', 'CAMPAIGN', 'BULK', 'FOLLOWUP', 'BUSINESS_APP', 'CHANNEL')
  ),
  content_type text not null,
  content text,
  attachment_id text collate "C",
  -- {storage_key, url, mimeType, fileName, size}, and the data that the network needs to return the file (network).
  media jsonb,
  template jsonb,
  interactive jsonb,
  location jsonb,
  contacts jsonb,
  reaction jsonb,
  referral jsonb,
  reply_to text collate "C",
  -- The network's id of the message that this one answers or reacts to. That message may arrive later than this one.
  reply_to_external text collate "C",
  status text not null check (status in ('QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'RECEIVED')),
  errors jsonb not null default '[]',
  failure_reason jsonb,
  external_id text collate "C",
  campaign_id text collate "C",
  enrollment_id text collate "C",
  agent_id text collate "C",
  is_echo boolean not null default false,
  is_test boolean not null default false,
  -- True for a message that was marked as FAILED after a day because nobody knew whether the network had taken it. Only such a FAILED
  -- message may still get another status.
  outcome_unknown boolean not null default false,
  edited_at timestamptz(3),
  revoked_at timestamptz(3),
  sent_at timestamptz(3),
  delivered_at timestamptz(3),
  read_at timestamptz(3),
  failed_at timestamptz(3),
  forwarded text,
  unsupported jsonb,
  -- The users whom a note mentions.
  mentions text[] not null default '{}',
  -- The subject and the recipients of a received mail. A message of at most some 6 kB more than what the other columns count.
  email jsonb,
  -- What arrived with the message, as a hash: the senders of mails make up their ids, so another mail may have the same one.
  digest text collate "C",
  record_bytes integer not null generated always as (
    1500 + coalesce(json_bytes(content), 0) + coalesce(octet_length(media::text), 0) + coalesce(octet_length(template::text), 0)
    + coalesce(octet_length(interactive::text), 0) + coalesce(octet_length(location::text), 0)
    + coalesce(octet_length(contacts::text), 0) + coalesce(octet_length(reaction::text), 0)
    + coalesce(octet_length(referral::text), 0) + octet_length(errors::text) + coalesce(octet_length(failure_reason::text), 0)
  ) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  -- The contact of a message is the contact of its conversation, so it needs no foreign key, which would need an index.
  foreign key (company_id, conversation_id) references conversations on delete cascade,
  foreign key (company_id, inbox_id) references inboxes,
  -- While a message names an attachment, the attachment can not be removed.
  constraint messages_attachment_ref foreign key (company_id, attachment_id) references attachments
)
with (fillfactor = 80);
-- A message is stored exactly once, however often the network repeats it.
create unique index messages_external_key on messages (company_id, inbox_id, external_id);
create index messages_conversation on messages (company_id, conversation_id, created_at, _id);
-- The messages whose outcome a later status or the limit of 24 hours decides. One job looks for them in all companies.
create index messages_queued on messages (created_at) where status = 'QUEUED';
create index messages_updated on messages (company_id, conversation_id, updated_at desc, _id desc);
-- A removed attachment looks for the messages that name it.
create index messages_attachment on messages (company_id, attachment_id) where attachment_id is not null;
-- Few messages are notes with mentions, so the index is small, and storing other messages does not write it.
create index messages_mentions on messages using gin (company_id, mentions) where mentions <> '{}';
-- For the list of all messages: the sort -updatedAt and the filter updated_since. The index is written with each message and each status, which
-- takes 6 and 13 microseconds of the database's time, below 2 % of what each takes altogether (docs/benchmarks.md).
create index messages_changed on messages (company_id, updated_at desc, _id desc);
-- Whether a message to a contact has failed within the last day: after some failures the network wants no further template to that person for a
-- day, whoever has sent the first one.
create index messages_failed on messages (company_id, contact_id, failed_at) where failed_at is not null;
-- When the last message of an inbox came in and went out, and what failed within the last day. A column of the inbox would be one row that
-- every message of the number writes and waits for.
create index messages_received on messages (company_id, inbox_id, created_at desc) where message_type = 'INCOMING';
create index messages_accepted on messages (company_id, inbox_id, sent_at desc)
  where message_type = 'OUTGOING' and sent_at is not null;
create index messages_failed_inbox on messages (company_id, inbox_id, failed_at desc) where failed_at is not null;
call tenant_table('messages');
call counted_table('messages', updates => 'UNBOUNDED');

-- Statuses, edits and revocations that arrived before their message.
create table parked_updates (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  inbox_id text collate "C" not null,
  external_id text collate "C" not null,
  kind text not null check (kind in ('STATUS', 'EDIT', 'REVOKE')),
  happened_at timestamptz(3) not null,
  payload jsonb not null,
  -- Equal for repetitions of the same update, because the network may send it again and one copy is enough.
  fingerprint text not null,
  created_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, inbox_id) references inboxes
);
create unique index parked_updates_key on parked_updates (company_id, inbox_id, external_id, fingerprint);
create index parked_updates_age on parked_updates (created_at);
call tenant_table('parked_updates');

-- The ids under which networks keep files of companies, so that a file is uploaded once and sent many times. An id is valid for one address
-- of a network alone, and expires.
create table network_files (
  company_id text collate "C" not null references companies,
  attachment_id text collate "C" not null,
  channel text not null,
  address text collate "C" not null,
  network_id text not null,
  expires_at timestamptz(3) not null,
  primary key (company_id, attachment_id, channel, address),
  foreign key (company_id, attachment_id) references attachments on delete cascade
);
call tenant_table('network_files');

create table media_downloads (
  company_id text collate "C" not null references companies,
  attachment_id text collate "C" not null,
  message_id text collate "C" not null,
  inbox_id text collate "C" not null,
  -- The order in which the files of a company are downloaded.
  seq bigint not null generated always as identity,
  -- WAITING for a worker · RUNNING: a worker downloads the file · RESTING: waits for its next try. What is settled has no row any more.
  state text not null default 'WAITING' check (state in ('WAITING', 'RUNNING', 'RESTING')),
  -- Rises with each claim, so that a worker that has lost its claim changes nothing.
  turn integer not null default 0,
  failures integer not null default 0,
  -- When a RESTING file waits again, and when a RUNNING one does unless its worker renews its claim.
  due_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  stage text not null default 'FILE' check (stage in ('FILE', 'THUMBNAIL')),
  -- By which the network hands out the file, and the hash that it has announced.
  network_id text not null,
  sha256 text,
  primary key (company_id, attachment_id),
  foreign key (company_id, attachment_id) references attachments on delete cascade,
  foreign key (company_id, message_id) references messages on delete cascade,
  foreign key (company_id, inbox_id) references inboxes
);
create index media_downloads_message on media_downloads (company_id, message_id);
create index media_downloads_inbox on media_downloads (company_id, inbox_id);
create index media_downloads_waiting on media_downloads (company_id, seq) where state = 'WAITING';
create index media_downloads_due on media_downloads (due_at) where state <> 'WAITING';
call tenant_table('media_downloads');

create table message_search (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  inbox_id text collate "C" not null,
  created_at timestamptz(3) not null,
  words tsvector not null,
  -- The row of a message goes with it by a trigger. A foreign key would be checked for each message, which takes longer than the index of words.
  primary key (company_id, _id)
);
-- The order of the list, of a company and of an inbox.
create index message_search_list on message_search (company_id, created_at desc, _id desc);
create index message_search_inbox on message_search (company_id, inbox_id, created_at desc, _id desc);
-- Each look-up reads through the pending list, so it is limited to half a megabyte.
create index message_search_words on message_search using gin (words) with (gin_pending_list_limit = 512);
call tenant_table('message_search');

-- The place in the daily limit of a business that a message has taken. It is given back when the network reports later that the message
-- reached nobody.
create table message_places (
  company_id text collate "C" not null references companies,
  message_id text collate "C" not null,
  channel text not null,
  portfolio text collate "C" not null,
  person text collate "C" not null,
  reached_at timestamptz(3) not null,
  -- When a message had reached the person before, within the last day.
  reached_before timestamptz(3),
  -- True when the network has reported that the message failed, until its place in the daily limit is given back.
  is_due boolean not null default false,
  primary key (company_id, message_id),
  foreign key (company_id, message_id) references messages on delete cascade
);
create index message_places_due on message_places (company_id) where is_due;
call tenant_table('message_places');

create table message_cards (
  company_id text collate "C" not null references companies,
  message_id text collate "C" not null,
  attachment_id text collate "C" not null,
  primary key (company_id, message_id, attachment_id),
  foreign key (company_id, message_id) references messages on delete cascade,
  foreign key (company_id, attachment_id) references attachments
);
create index message_cards_attachment on message_cards (company_id, attachment_id);
call tenant_table('message_cards');

-- The ids that networks gave to messages in the place of ours: answers and reports name a message by them.
create table message_aliases (
  company_id text collate "C" not null references companies,
  inbox_id text collate "C" not null,
  alias text collate "C" not null,
  message_id text collate "C" not null,
  primary key (company_id, inbox_id, alias),
  foreign key (company_id, inbox_id) references inboxes,
  foreign key (company_id, message_id) references messages on delete cascade
);
create index message_aliases_message on message_aliases (company_id, message_id);
call tenant_table('message_aliases');

-- The whole text of a mail whose message shows only a part of it: what the person wrote, without quoted mails and signature.
create table message_bodies (
  company_id text collate "C" not null references companies,
  -- The id of the message.
  _id text collate "C" not null,
  content text not null,
  record_bytes integer not null generated always as (octet_length(content) + 100) stored,
  primary key (company_id, _id),
  foreign key (company_id, _id) references messages on delete cascade
);
call tenant_table('message_bodies');
call counted_table('message_bodies', updates => 'UNCOUNTED');

create function remove_deleted_files() returns trigger language plpgsql as $$
begin
  perform remove_brought(company_id, array_agg(attachment_id)) from gone where attachment_id is not null group by company_id;
  return null;
end
$$;
create trigger brought_deleted after delete on messages referencing old table as gone
  for each statement execute function remove_deleted_files();
create trigger brought_deleted after delete on message_cards referencing old table as gone
  for each statement execute function remove_deleted_files();

create function remove_replaced_file() returns trigger language plpgsql as $$
begin
  perform remove_brought(old.company_id, array[old.attachment_id]);
  return null;
end
$$;
create trigger brought_replaced after update of attachment_id on messages for each row
  when (old.attachment_id is not null and old.attachment_id is distinct from new.attachment_id) execute function remove_replaced_file();

-- Triggers of the database write these rows, so no code can forget them.
create function begin_message_search() returns trigger
language plpgsql as $$
begin
  insert into message_search (company_id, _id, inbox_id, created_at, words)
    select company_id, _id, inbox_id, created_at, message_words(company_id, coalesce(content, '')) from added;
  return null;
end
$$;
create trigger messages_search_begins after insert on messages
  referencing new table as added for each statement execute function begin_message_search();

create function change_message_search() returns trigger
language plpgsql as $$
begin
  update message_search set words = message_words(new.company_id, coalesce(new.content, ''))
    where company_id = new.company_id and _id = new._id;
  return null;
end
$$;
create trigger messages_search_changes after update of content on messages
  for each row when (new.content is distinct from old.content) execute function change_message_search();

create function end_message_search() returns trigger
language plpgsql as $$
begin
  delete from message_search s using gone where s.company_id = gone.company_id and s._id = gone._id;
  return null;
end
$$;
create trigger messages_search_ends after delete on messages
  referencing old table as gone for each statement execute function end_message_search();

-- What has changed in a company that somebody watches: the live stream reads it, and so misses no change when an announcement between
-- processes is lost. Triggers write it, so no code can forget a change.

-- The companies whose changes are noted: those with a stream in the last hour.
create table live_companies (
  company_id text collate "C" primary key references companies,
  -- The transaction since which every change is noted.
  since_xid xid8 not null default pg_current_xact_id(),
  noted_until timestamptz(3) not null
);
call tenant_table('live_companies');

create table record_changes (
  company_id text collate "C" not null references companies,
  -- A reader finds what is new by comparing this transaction with the snapshot of its last look. Times and sequences would not do, because a
  -- transaction that began earlier may commit later.
  xid xid8 not null default pg_current_xact_id(),
  seq bigint not null generated always as identity,
  kind text not null,
  record_ids text[] not null,
  changed_at timestamptz(3) not null default now(),
  primary key (company_id, xid, seq)
);
call tenant_table('record_changes');

-- Notes which records of a table have changed.
create function note_changes() returns trigger
language plpgsql as $$
begin
  -- Most installations and most companies have no stream, and then this is all that it costs.
  if not exists (select from live_companies) then return null; end if;
  insert into record_changes (company_id, kind, record_ids)
    select w.company_id, tg_argv[0], array_agg(w._id) from written w
    where exists (select from live_companies l where l.company_id = w.company_id and l.noted_until > now())
    group by w.company_id;
  return null;
end
$$;

-- Notes what happens to the records of a table. Without `deletes` its records are never removed alone: messages go with their conversation,
-- and old imports and runs are forgotten.
create procedure noted_table(name text, updates boolean default true, deletes boolean default false)
language plpgsql as $$
begin
  execute format('create trigger noted_insert after insert on %1$I referencing new table as written for each statement
    execute function note_changes(%1$L)', name);
  if updates then
    execute format('create trigger noted_update after update on %1$I referencing new table as written for each statement
      execute function note_changes(%1$L)', name);
  end if;
  if deletes then
    execute format('create trigger noted_delete after delete on %1$I referencing old table as written for each statement
      execute function note_changes(%1$L)', name);
  end if;
end
$$;
call noted_table('contacts', deletes => true);
call noted_table('conversations', deletes => true);
call noted_table('table_rows', deletes => true);
call noted_table('messages');
call noted_table('inboxes');
call noted_table('imports');
call noted_table('bulk_runs');
call noted_table('conversation_runs');
call noted_table('conversation_history', updates => false);
call noted_table('follow_ups', updates => false);

-- A conversation shows the text of its last message.
create function note_last_message() returns trigger
language plpgsql as $$
begin
  insert into record_changes (company_id, kind, record_ids)
    select v.company_id, 'conversations', array[v._id] from conversations v
    where v.company_id = new.company_id and v._id = new.conversation_id and v.last_message_id = new._id
      and exists (select from live_companies l where l.company_id = v.company_id and l.noted_until > now());
  return null;
end
$$;
create trigger noted_text after update of content, content_type on messages for each row
  when (old.content is distinct from new.content or old.content_type <> new.content_type)
  execute function note_last_message();

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

create function note_follow_up() returns trigger
language plpgsql as $$
begin
  insert into record_changes (company_id, kind, record_ids)
    select l.company_id, 'follow_ups', array[new._id] from live_companies l
    where l.company_id = new.company_id and l.noted_until > now();
  return null;
end
$$;
create trigger noted_update after update on follow_ups for each row
  when (old.updated_at <> new.updated_at or old.status <> new.status) execute function note_follow_up();

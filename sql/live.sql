-- The triggers noted_insert, noted_update and noted_delete of a table note which of its records have changed.
create or replace function note_changes() returns trigger
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

-- Notes records of which each is for one user, whose id follows the kind.
create or replace function note_personal_changes() returns trigger
language plpgsql as $$
begin
  if not exists (select from live_companies) then return null; end if;
  insert into record_changes (company_id, kind, record_ids)
    select w.company_id, tg_argv[0] || '/' || w.user_id, array_agg(w._id) from written w
    where exists (select from live_companies l where l.company_id = w.company_id and l.noted_until > now())
    group by w.company_id, w.user_id;
  return null;
end
$$;

-- Migrations up to 0040 have made these triggers with it. Those of a later table are written in the file of its room. Tables whose records are
-- never removed alone have no noted_delete: messages go with their conversation, and old imports and runs are forgotten.
create or replace procedure noted_table(name text, updates boolean default true, deletes boolean default false)
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

-- A conversation shows the text of its last message, and whether that message has failed.
create or replace function note_last_message() returns trigger
language plpgsql as $$
begin
  insert into record_changes (company_id, kind, record_ids)
    select v.company_id, 'conversations', array[v._id] from conversations v
    where v.company_id = new.company_id and v._id = new.conversation_id and v.last_message_id = new._id
      and exists (select from live_companies l where l.company_id = v.company_id and l.noted_until > now());
  return null;
end
$$;
create or replace trigger noted_last_message after update of content, content_type, status on messages for each row
  when (old.content is distinct from new.content or old.content_type <> new.content_type
    or (old.status = 'FAILED') <> (new.status = 'FAILED'))
  execute function note_last_message();

-- A worker renews its hold on a campaign every second. Only changes of what the record shows are noted.
create or replace function note_campaign() returns trigger
language plpgsql as $$
begin
  insert into record_changes (company_id, kind, record_ids)
    select l.company_id, 'campaigns', array[coalesce(new._id, old._id)] from live_companies l
    where l.company_id = coalesce(new.company_id, old.company_id) and l.noted_until > now();
  return null;
end
$$;
create or replace trigger noted after insert or delete on campaigns for each row execute function note_campaign();
create or replace trigger noted_update after update on campaigns for each row
  when (old.updated_at <> new.updated_at or old.status <> new.status) execute function note_campaign();

-- The sums of the counters change once a second at most, however many contacts change.
create or replace function note_campaign_counters() returns trigger
language plpgsql as $$
begin
  insert into record_changes (company_id, kind, record_ids)
    select w.company_id, 'campaigns', array_agg(distinct w.campaign_id) from written w
    where exists (select from live_companies l where l.company_id = w.company_id and l.noted_until > now())
    group by w.company_id;
  return null;
end
$$;
create or replace trigger noted_insert after insert on campaign_counters referencing new table as written for each statement
  execute function note_campaign_counters();
create or replace trigger noted_update after update on campaign_counters referencing new table as written for each statement
  execute function note_campaign_counters();

-- Notes one record of a table whose rows workers also change in ways that the record does not show, such as taking one or renewing a hold.
create or replace function note_change() returns trigger
language plpgsql as $$
begin
  insert into record_changes (company_id, kind, record_ids)
    select l.company_id, tg_argv[0], array[new._id] from live_companies l
    where l.company_id = new.company_id and l.noted_until > now();
  return null;
end
$$;
create or replace trigger noted_update after update on follow_ups for each row
  when (old.updated_at <> new.updated_at or old.status <> new.status) execute function note_change('follow_ups');

-- Triggers note which conversations may have other clocks, so no code can forget it. Companies without a policy pay for two looks.
create or replace function note_sla_turn(company text, conversation text) returns void language sql as $$
  insert into sla_turns (company_id, _id, conversation_id)
    select company, new_id(), conversation where exists (select from sla_policies where company_id = company)
      or exists (select from conversation_slas where company_id = company and conversation_id = conversation)
$$;

create or replace function note_changed_conversation() returns trigger language plpgsql as $$
begin
  perform note_sla_turn(new.company_id, new._id);
  return null;
end
$$;
create or replace trigger times_sla after update of status, priority, team_id, waiting_since on conversations for each row
  when (old.waiting_since is distinct from new.waiting_since or old.status <> new.status or old.priority <> new.priority
    or old.team_id is distinct from new.team_id)
  execute function note_changed_conversation();

create or replace function note_blocking() returns trigger language plpgsql as $$
begin
  perform note_sla_turn(company_id, _id) from conversations
    where company_id = new.company_id and contact_id = new._id and status <> 'CLOSED';
  return null;
end
$$;
create or replace trigger times_sla after update of blocked on contacts for each row
  when (old.blocked <> new.blocked) execute function note_blocking();

-- The record of a conversation shows its clocks.
create or replace function note_sla() returns trigger language plpgsql as $$
begin
  insert into record_changes (company_id, kind, record_ids)
    select l.company_id, 'conversations', array[coalesce(new.conversation_id, old.conversation_id)] from live_companies l
    where l.company_id = coalesce(new.company_id, old.company_id) and l.noted_until > now();
  return null;
end
$$;
create or replace trigger noted_sla after insert or update or delete on conversation_slas for each row execute function note_sla();

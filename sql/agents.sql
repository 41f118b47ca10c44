-- A conversation that leaves its agent, in whatever way, cancels the follow-up that waits.
create or replace function cancel_follow_up() returns trigger
  language plpgsql set search_path from current as $$
begin
  update follow_ups set status = 'CANCELLED', is_waiting = false, updated_at = now(),
    cancel_reason = case when new.status = 'CLOSED' then 'CONVERSATION_CLOSED' else 'HANDED_OVER' end
  where company_id = new.company_id and conversation_id = new._id and status = 'SCHEDULED' and message_id is null;
  return null;
end
$$;
create or replace trigger left_agent after update of status, handled_by, agent_id on conversations
  for each row when (old.handled_by = 'AI' and old.status <> 'CLOSED'
    and (new.handled_by <> 'AI' or new.status = 'CLOSED' or new.agent_id is distinct from old.agent_id))
  execute function cancel_follow_up();

create or replace trigger noted_insert after insert on follow_ups referencing new table as written
  for each statement execute function note_changes('follow_ups');

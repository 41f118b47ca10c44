-- Triggers note which teams may have a conversation to give to a member, so no code can forget it. Only those are noted that give out their
-- conversations.

-- A team whose turns were put off, because they failed or another transaction was in the way, keeps its pause.
create or replace function note_team_turn(company text, team text) returns void language sql as $$
  insert into team_turns (company_id, _id, team_id, due_at)
    select company_id, new_id(), _id, greatest(now(), (select max(due_at) from team_turns where company_id = company and team_id = team))
    from teams where company_id = company and _id = team and distribution <> 'MANUAL' and removed_at is null
$$;

create or replace function note_turns_of_member(company text, member text) returns void language sql as $$
  select note_team_turn(company_id, team_id) from team_members where company_id = company and user_id = member
$$;

-- Whether a conversation waits until its team gives it to a member. A contact who has not answered a campaign or a bulk send waits for nobody. The
-- index conversations_given_out has the same condition, which the planner finds in a statement that calls this function.
create or replace function waits_for_member(v conversations) returns boolean language sql immutable as $$
  select v.team_id is not null and v.owner_id is null and v.status = 'OPEN' and v.handled_by <> 'AI'
    and v.last_inbound_at is not null and not v.awaits_reply
$$;

-- A conversation comes to a team without an owner, or is left by its owner.
create or replace function note_new_work() returns trigger language plpgsql as $$
begin
  perform note_team_turn(new.company_id, new.team_id);
  return null;
end
$$;
create or replace trigger gives_out after update on conversations for each row
  when (waits_for_member(new) and (new.team_id is distinct from old.team_id or not waits_for_member(old)))
  execute function note_new_work();

-- Conversations of a contact who is no longer blocked can be assigned.
create or replace function note_unblocked() returns trigger language plpgsql as $$
begin
  perform note_team_turn(company_id, team_id) from (select distinct company_id, team_id from conversations v
    where company_id = new.company_id and contact_id = new._id and waits_for_member(v)) waiting;
  return null;
end
$$;
create or replace trigger gives_out after update of blocked on contacts for each row
  when (old.blocked and not new.blocked) execute function note_unblocked();

-- A user owns one open conversation less: the user's teams may have waited for that.
create or replace function note_freed_owner() returns trigger language plpgsql as $$
begin
  perform note_team_turn(company_id, _id) from teams where company_id = old.company_id and capacity is not null
    and _id in (select team_id from team_members where company_id = old.company_id and user_id = old.owner_id);
  return null;
end
$$;
create or replace trigger frees_owner after update of owner_id, status on conversations for each row
  when (old.owner_id is not null and old.status = 'OPEN' and (new.owner_id is distinct from old.owner_id or new.status <> 'OPEN'))
  execute function note_freed_owner();

create or replace trigger frees_owner_of_erased after delete on conversations for each row
  when (old.owner_id is not null and old.status = 'OPEN') execute function note_freed_owner();

-- A user comes back, or comes to a team.
create or replace function note_member_back() returns trigger language plpgsql as $$
begin
  perform note_turns_of_member(new.company_id, new._id);
  return null;
end
$$;
create or replace trigger gives_out after update of availability, status, role on users for each row
  when (new.status = 'ACTIVE' and new.availability = 'ONLINE'
    and (old.status <> 'ACTIVE' or old.availability <> 'ONLINE' or old.role <> new.role))
  execute function note_member_back();

create or replace function note_new_member() returns trigger language plpgsql as $$
begin
  -- With the team, the user may see more inboxes, whose conversations wait in the user's other teams.
  perform note_turns_of_member(new.company_id, new.user_id);
  return null;
end
$$;
create or replace trigger gives_out after insert on team_members for each row execute function note_new_member();

-- More users may see an inbox than before.
create or replace function note_opened_inbox() returns trigger language plpgsql as $$
begin
  perform note_team_turn(new.company_id, _id) from teams where company_id = new.company_id;
  return null;
end
$$;
create or replace trigger gives_out after update of members on inboxes for each row
  when (old.members is distinct from new.members) execute function note_opened_inbox();

-- A team begins to give out its conversations, or gives out more than before.
create or replace function note_changed_team() returns trigger language plpgsql as $$
begin
  perform note_team_turn(new.company_id, new._id);
  return null;
end
$$;
create or replace trigger gives_out after update of distribution, capacity on teams for each row
  when (old.distribution <> new.distribution or old.capacity is distinct from new.capacity) execute function note_changed_team();

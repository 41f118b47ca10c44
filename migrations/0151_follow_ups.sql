-- Follow-ups: what an agent writes to a contact who has not answered it.
alter table agents
  -- [{delay_minutes, content, template}]
  add column follow_ups jsonb not null default '[]';

create table follow_ups (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  agent_id text collate "C" not null,
  conversation_id text collate "C" not null,
  -- Which of the agent's follow-ups, from 0. One that the model has chosen comes after all of them.
  index integer not null,
  content text not null,
  -- {name, language, components}: what is sent where the reply window has closed.
  template jsonb,
  status text not null default 'SCHEDULED' check (status in ('SCHEDULED', 'SENT', 'CANCELLED', 'FAILED')),
  scheduled_at timestamptz(3) not null,
  sent_at timestamptz(3),
  cancel_reason text,
  -- The message, from the moment in which it is stored to be sent.
  message_id text collate "C",
  -- While the network is called: when the worker that calls it counts as dead.
  settle_until timestamptz(3),
  -- Whether a worker may take it now; when one took it last; and when it is due, or may be taken again after its worker has died.
  is_waiting boolean not null default false,
  claimed_at timestamptz(3),
  held_until timestamptz(3),
  attempts integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, agent_id) references agents,
  foreign key (company_id, conversation_id) references conversations on delete cascade
);
-- A conversation waits for one follow-up at a time. The next one may be scheduled while one is being sent.
create unique index follow_ups_next_key on follow_ups (company_id, conversation_id) where status = 'SCHEDULED' and message_id is null;
create index follow_ups_list on follow_ups (company_id, created_at desc, _id desc);
create index follow_ups_updated on follow_ups (company_id, updated_at desc, _id desc);
create index follow_ups_agent on follow_ups (company_id, agent_id, created_at desc, _id desc);
create index follow_ups_conversation on follow_ups (company_id, conversation_id, created_at desc, _id desc);
create index follow_ups_waiting on follow_ups (company_id, scheduled_at) where is_waiting;
create index follow_ups_held on follow_ups (held_until) where status = 'SCHEDULED' and not is_waiting;
create index follow_ups_unsettled on follow_ups (settle_until) where settle_until is not null;
call tenant_table('follow_ups');

-- Whatever takes a conversation from its agent cancels the follow-up that waits: a person, a change of many conversations, a merge, an end.
create function cancel_follow_up() returns trigger
  language plpgsql set search_path from current as $$
begin
  update follow_ups set status = 'CANCELLED', is_waiting = false, updated_at = now(),
    cancel_reason = case when new.status = 'CLOSED' then 'CONVERSATION_CLOSED' else 'HANDED_OVER' end
  where company_id = new.company_id and conversation_id = new._id and status = 'SCHEDULED' and message_id is null;
  return null;
end
$$;
create trigger left_agent after update of status, handled_by, agent_id on conversations
  for each row when (old.handled_by = 'AI' and old.status <> 'CLOSED'
    and (new.handled_by <> 'AI' or new.status = 'CLOSED' or new.agent_id is distinct from old.agent_id))
  execute function cancel_follow_up();

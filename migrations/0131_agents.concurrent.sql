-- The lists of agents, and the indexes by which workers find turns that wait or are due.
create index concurrently if not exists agents_list on agents (company_id, created_at desc, _id desc);
create index concurrently if not exists agents_updated on agents (company_id, updated_at desc, _id desc);
create index concurrently if not exists pending_turns_waiting on pending_turns (company_id, first_at) where is_waiting;
create index concurrently if not exists pending_turns_held on pending_turns (held_until) where not is_waiting;

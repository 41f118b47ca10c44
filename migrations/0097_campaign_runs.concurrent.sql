-- The indexes by which workers find campaigns that wait or are due.
create index concurrently if not exists campaigns_waiting on campaigns (company_id, turn_at) where is_waiting;
create index concurrently if not exists campaigns_held on campaigns (held_until) where held_until is not null and not is_waiting;
alter table campaigns validate constraint campaigns_pause_reason_check;

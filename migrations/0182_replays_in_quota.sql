-- Replays count towards what a company may store. Those of empty periods end at once, so nothing else bounded their number.
alter table delivery_replays add column record_bytes integer not null default 1000;
insert into stored_changes (company_id, bytes, is_bounded) select company_id, sum(record_bytes), false from delivery_replays group by company_id;
create trigger inserted after insert on delivery_replays referencing new table as written
  for each statement execute function count_inserted();
create trigger deleted after delete on delivery_replays referencing old table as gone
  for each statement execute function count_deleted();

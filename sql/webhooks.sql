create or replace trigger inserted after insert on delivery_replays referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on delivery_replays referencing old table as gone
  for each statement execute function count_deleted();

-- Queues the deliveries of processes of 1.0.0, until they are restarted. A later release removes the trigger.
create or replace function queue_delivery() returns trigger language plpgsql as $$
begin
  insert into delivery_queue (company_id, seq, delivery_id) values (new.company_id, new.seq, new._id);
  return null;
end
$$;
create or replace trigger queued after insert on deliveries for each row
  when (new.status = 'QUEUED' and current_setting('app.queues_deliveries', true) is distinct from 'on') execute function queue_delivery();

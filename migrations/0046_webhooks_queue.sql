-- A delivery is in one of two narrow tables until it has ended, so its own row, which is large, is written twice: when it is queued and when
-- it has ended. Neither table has a foreign key: their rows are written in the transactions that write the deliveries.

-- The deliveries that wait, in their order. A claim deletes the row.
create table delivery_queue (
  company_id text collate "C" not null,
  -- The column seq of the delivery.
  seq bigint not null,
  delivery_id text collate "C" not null,
  primary key (company_id, seq)
)
-- The tables are vacuumed often: their rows live for a moment, and each claim and sweep reads past those that are gone.
with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
call tenant_table('delivery_queue');

-- The attempts under way. A claim inserts the row, and the outcome deletes it.
create table delivery_attempts (
  company_id text collate "C" not null,
  delivery_id text collate "C" not null,
  attempted_at timestamptz(3) not null,
  primary key (company_id, delivery_id)
)
with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
call tenant_table('delivery_attempts');

-- Until it is restarted, a process of the earlier release claims deliveries without a claimed_at. From here on it queues none of them, and this
-- release sends what it queues. A later release removes the column, and the indexes deliveries_queue and deliveries_attempted.
alter table deliveries alter column claimed_at set default now();

-- As in sql/webhooks.sql.
create function queue_delivery() returns trigger language plpgsql as $$
begin
  insert into delivery_queue (company_id, seq, delivery_id) values (new.company_id, new.seq, new._id);
  return null;
end
$$;
create trigger queued after insert on deliveries for each row
  when (new.status = 'QUEUED' and current_setting('app.queues_deliveries', true) is distinct from 'on') execute function queue_delivery();
insert into schema_objects (name, digest, definition)
  values ('function queue_delivery()', '', ''), ('trigger queued on deliveries', '', '');

-- Moves the deliveries that wait or are under way into the queue of 0046. A transaction of its own: nothing waits for it but the claims of these
-- deliveries.

-- Row security may apply to the owner, who would then see no row.
set local role parley_system;
set local enable_seqscan = off;
with waiting as (update deliveries set claimed_at = now() where claimed_at is null returning company_id, seq, _id)
  insert into delivery_queue (company_id, seq, delivery_id) select company_id, seq, _id from waiting;
-- From here on no process of the earlier release claims any. The sweep of that release has settled all attempts until its mark.
insert into delivery_attempts (company_id, delivery_id, attempted_at)
  select company_id, _id, attempted_at from deliveries
  where status = 'SENDING'
    and attempted_at > coalesce((select value::timestamptz from platform_state where key = 'deliveries.swept'), '-infinity');
reset role;

create policy members on report_facts as restrictive to parley_member, parley_member_read using (inbox_id = any ((select string_to_array(current_setting('app.inboxes', true), ','))::text[]));
create policy members on report_counters as restrictive to parley_member, parley_member_read
  using (dimension = 'INBOX' and subject = any ((select string_to_array(current_setting('app.inboxes', true), ','))::text[]));

create policy members on messages as restrictive to parley_member, parley_member_read using (inbox_id = any ((select string_to_array(current_setting('app.inboxes', true), ','))::text[]));

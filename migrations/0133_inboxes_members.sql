-- Who sees an inbox, with its conversations, besides owners and admins: {users, teams}, their ids. Null for all users.
alter table inboxes add column members jsonb;

-- Restrictive policies, in this migration and the next ones, hide from users who see only some inboxes what belongs to the others.
create policy members on inboxes as restrictive to parley_member, parley_member_read using (_id = any ((select string_to_array(current_setting('app.inboxes', true), ','))::text[]));

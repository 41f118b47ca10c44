-- The partition of 0154_messages_partitions.sql. A vacuum begins when one row in twenty has changed, and not one in five.
alter table messages set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
alter table media_downloads drop constraint media_downloads_company_id_message_id_fkey;
alter table message_aliases drop constraint message_aliases_company_id_message_id_fkey;
alter table message_bodies drop constraint message_bodies_company_id__id_fkey;
alter table message_cards drop constraint message_cards_company_id_message_id_fkey;
alter table message_places drop constraint message_places_company_id_message_id_fkey;
-- A policy names a table by what it is, which would be the partition.
drop policy members on attachments;
-- A conversation has its company and its inbox, so each message was checked three times.
call partition_table('messages', array['messages_company_id_fkey', 'messages_company_id_inbox_id_fkey']);
call tenant_table('messages');
create policy members on messages as restrictive to parley_member, parley_member_read using (inbox_id = any ((select string_to_array(current_setting('app.inboxes', true), ','))::text[]));
create policy members on attachments as restrictive to parley_member, parley_member_read using (
  uploaded_by = current_setting('app.member', true)
  or exists (select from messages m where m.company_id = attachments.company_id and m.attachment_id = attachments._id)
  or exists (select from message_cards c join messages m on m.company_id = c.company_id and m._id = c.message_id
    where c.company_id = attachments.company_id and c.attachment_id = attachments._id)
  or exists (select from scheduled_messages s where s.company_id = attachments.company_id and s.attachment_id = attachments._id)
  or exists (select from quick_replies q where q.company_id = attachments.company_id and q.attachment_id = attachments._id)
  or exists (select from knowledge_items k where k.company_id = attachments.company_id and k.attachment_id = attachments._id)
  or exists (select from campaign_files f join campaigns c on c.company_id = f.company_id and c._id = f.campaign_id
    where f.company_id = attachments.company_id and f.attachment_id = attachments._id)
  or exists (select from users u where u.company_id = attachments.company_id and u.picture_id = attachments._id)
) with check (true);
create rule earlier_processes_wait as on update to messages where false do also nothing;
alter table media_downloads add foreign key (company_id, message_id) references messages on delete cascade not valid;
alter table message_aliases add foreign key (company_id, message_id) references messages on delete cascade not valid;
alter table message_bodies add foreign key (company_id, _id) references messages on delete cascade not valid;
alter table message_cards add foreign key (company_id, message_id) references messages on delete cascade not valid;
alter table message_places add foreign key (company_id, message_id) references messages on delete cascade not valid;
select make_partitions('messages', 90, 3);

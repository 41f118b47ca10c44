-- A file is seen with a record that shows it, and by the user who has uploaded it.
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

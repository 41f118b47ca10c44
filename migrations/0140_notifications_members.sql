create policy members on notifications as restrictive to parley_member, parley_member_read using (conversation_id is null or
  exists (select from conversations v where v.company_id = notifications.company_id and v._id = notifications.conversation_id)) with check (true);

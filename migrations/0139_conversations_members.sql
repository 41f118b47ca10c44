create policy members on conversation_history as restrictive to parley_member, parley_member_read using (
  exists (select from conversations v where v.company_id = conversation_history.company_id and v._id = conversation_history.conversation_id)) with check (true);
create policy members on conversation_participants as restrictive to parley_member, parley_member_read using (
  exists (select from conversations v where v.company_id = conversation_participants.company_id and v._id = conversation_participants.conversation_id)) with check (true);

-- `with check (true)`: the same statement may insert the conversation, which the policy could not see yet. Its inbox was found under a policy.
do $$
declare
  name text;
begin
  foreach name in array array['bulk_runs', 'campaigns', 'csat_surveys', 'unreadable_items'] loop
    execute format('create policy members on %I as restrictive to parley_member, parley_member_read using (inbox_id = %s)', name,
      'any ((select string_to_array(current_setting(''app.inboxes'', true), '',''))::text[])');
  end loop;
  foreach name in array array['scheduled_messages', 'agent_turns', 'follow_ups', 'rule_runs'] loop
    execute format('create policy members on %1$I as restrictive to parley_member, parley_member_read
      using (exists (select from conversations v where v.company_id = %1$I.company_id and v._id = %1$I.conversation_id)) with check (true)', name);
  end loop;
end
$$;
create policy members on campaign_enrollments as restrictive to parley_member, parley_member_read using (
  exists (select from campaigns c where c.company_id = campaign_enrollments.company_id and c._id = campaign_enrollments.campaign_id))
  with check (true);

-- From here on processes of the release before store no incoming messages. With this rule, which changes nothing, PostgreSQL refuses each INSERT
-- with ON CONFLICT as a feature that is not supported, and they tell the network to send the callback again later. Without it they would take
-- the lack of the unique index for a fault of the message.
create rule earlier_processes_wait as on update to messages where false do also nothing;
drop function key_earlier_message cascade;

-- end_message() does what these did.
drop function if exists end_message_search, end_message_activity cascade;
delete from schema_objects where name in ('function end_message_search()', 'function end_message_activity()',
  'trigger messages_search_ends on messages', 'trigger messages_activity_ends on messages');

-- One trigger writes all that is stored along with a new message. sql/ has no longer what 0050_messages_activity.sql created for it, and drops it.
insert into schema_objects (name, digest, definition)
  select gone, '', '' from unnest(array['function begin_message_activity()', 'trigger messages_activity_begins on messages']) gone
  where not exists (select from schema_objects o where o.name = gone);

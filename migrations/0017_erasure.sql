-- Erasing a contact follows its conversations to their messages. The second way there, from the contact itself, had no index:
-- it walked through all messages of the company. A message's contact is that of its conversation, which is referenced.
alter table messages drop constraint messages_company_id_contact_id_fkey;

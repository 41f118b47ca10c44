-- The erasure of a contact finds the messages by the contact's conversations. A foreign key from a message to its contact had no index, so
-- deleting a contact walked through all messages of the company. The key is not needed, because the contact of a message is the contact of
-- its conversation, and that one is referenced.
alter table messages drop constraint messages_company_id_contact_id_fkey;

-- By which of its names (contact_identities.value) the contact last wrote in a conversation: a contact may have several, and only
-- the one that wrote has the network's window. Null until it writes: then a reply goes to the contact's phone number, as before.
alter table conversations add column heard_from text collate "C";

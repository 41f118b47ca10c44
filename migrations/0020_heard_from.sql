-- The name (contact_identities.value) under which the contact last wrote in a conversation. A contact may have several names, and the
-- network's 24-hour window belongs to the one that wrote. Null until the contact writes; then a reply goes to the contact's phone number,
-- as before.
alter table conversations add column heard_from text collate "C";

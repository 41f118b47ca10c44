-- Contacts that a caller adds to a campaign.
set local lock_timeout = '2s';

-- The request that has added the contact: when it is repeated, it finds what it had enrolled. Null for a contact of the audience.
alter table campaign_enrollments add column added_by text collate "C";

-- The name that people choose at WhatsApp, in small letters and without the @. The network reports it, and it never
-- identifies a contact.
alter table contacts add column username text;
-- How far the network has sent the old messages of the phone with which an inbox shares its number (coexistence): status, progress, error,
-- requested_at, updated_at, and contacts_asked once the phone's contacts were asked for. Null where nothing was asked for and nothing came.
alter table inboxes add column history jsonb;

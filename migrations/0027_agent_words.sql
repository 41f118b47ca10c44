-- What an agent tells a contact to whom a person will answer, and what its voice notes cost.

-- Null when the contact is told nothing.
alter table agents add column handoff_message text;

-- What a minute of a voice note costs that the transcription model writes down; null when nobody knows.
update agents set prices = prices || '{"transcription": null}' where prices is not null;

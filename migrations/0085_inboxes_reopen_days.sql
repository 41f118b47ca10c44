-- For how many days after its end the last conversation of a contact is continued when the contact writes again; 0 for never.
alter table inboxes add column reopen_days integer not null default 0 check (reopen_days between 0 and 365);

-- What stands below the mails that the user writes, in place of the signature of the inbox.
alter table users add column signature text;

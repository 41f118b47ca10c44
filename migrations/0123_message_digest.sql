-- What arrived with the message, as a hash: the senders of mails make up their ids, so another mail may have the same one.
alter table messages add column digest text collate "C";

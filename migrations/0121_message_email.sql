-- The subject and the recipients of a received mail. A message of at most some 6 kB more than what the other columns count.
alter table messages add column email jsonb;

-- The users whom a note mentions.
alter table messages add column mentions text[] not null default '{}';

-- The table has the saved filters of two lists: the views of conversations, and the segments of contacts.
alter table views add column kind text not null default 'CONVERSATIONS';
alter table views add constraint views_kind_check check (kind in ('CONVERSATIONS', 'CONTACTS')) not valid;

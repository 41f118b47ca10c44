-- The key that made a view: a view without an owner belongs to it, and to no other key.
alter table views add column made_by_key text collate "C";

-- The address of a picture of the person, which visitors of a web chat see beside the name.
alter table users add column avatar_url text;

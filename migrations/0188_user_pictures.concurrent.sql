create index concurrently if not exists users_picture on users (company_id, picture_id) where picture_id is not null;
alter table users validate constraint users_picture_ref;

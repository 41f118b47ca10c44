-- Every row has a primary key. In these two tables a part of what identifies a row may be null: the company of a person who forgot their
-- password, and the model of a document.

-- Only the mails of the last hour are here.
-- squawk-ignore adding-field-with-default, adding-serial-primary-key-field
alter table mailed_links add column _id text collate "C" not null default new_id() primary key;

-- 0044_platform_keys.concurrent.sql fills the column of the rows that are there already.
alter table agent_file_texts add column _id text collate "C";
alter table agent_file_texts alter column _id set default new_id();
alter table agent_file_texts add constraint agent_file_texts_id check (_id is not null) not valid;

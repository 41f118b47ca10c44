-- What an agent makes of files that contacts send: it sees pictures, and listens to voice notes.
set local lock_timeout = '2s';

-- squawk-ignore adding-field-with-default
alter table agents add column vision boolean not null default false;
alter table agents add column transcription_model text;

-- [{message, name, read_as, characters, pictures, note}]
-- squawk-ignore adding-field-with-default
alter table agent_turns add column files jsonb not null default '[]';

-- What stands in documents of contacts, and what is said in their voice notes, so that each is found out once. It goes with its file.
create table agent_file_texts (
  company_id text collate "C" not null references companies,
  attachment_id text collate "C" not null,
  -- The model that has listened; null for a document.
  model text,
  -- Empty for a document without text.
  content text not null,
  -- The document has more text than that.
  is_cut boolean not null,
  created_at timestamptz(3) not null default now(),
  primary key (company_id, attachment_id),
  foreign key (company_id, attachment_id) references attachments on delete cascade
);
call tenant_table('agent_file_texts');

-- What an agent makes of files that contacts send: it sees pictures, and listens to voice notes.
set local lock_timeout = '2s';

-- squawk-ignore adding-field-with-default
alter table agents add column vision boolean not null default false;
alter table agents add column transcription_model text;

-- [{message, name, read_as, characters, pictures, note}]
-- squawk-ignore adding-field-with-default
alter table agent_turns add column files jsonb not null default '[]';

-- What is said in voice notes, so that each is written down once. It goes with its file.
create table agent_transcripts (
  company_id text collate "C" not null references companies,
  attachment_id text collate "C" not null,
  model text not null,
  content text not null,
  created_at timestamptz(3) not null default now(),
  primary key (company_id, attachment_id),
  foreign key (company_id, attachment_id) references attachments on delete cascade
);
call tenant_table('agent_transcripts');

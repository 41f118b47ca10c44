-- Words that mean the same for a company, for the search in its knowledge.
create table knowledge_synonyms (
  company_id text collate "C" not null references companies,
  -- [{language, words}]
  groups jsonb not null,
  -- Rises with each change, so that processes know when what they keep is old.
  revision integer not null default 1,
  updated_at timestamptz(3) not null default now(),
  primary key (company_id)
);
call tenant_table('knowledge_synonyms');

-- Agents with different transcription models may read one voice note in turn: the text of each model is kept, so that none listens twice.
-- The model of a document is null.
create unique index concurrently if not exists agent_file_texts_key
  on agent_file_texts (company_id, attachment_id, model) nulls not distinct;
alter table agent_file_texts drop constraint if exists agent_file_texts_pkey;

-- 0027_agent_words.sql changed no agent where row security applies to the owner of the tables.

set local role parley_system;

update agents set prices = prices || '{"transcription": null}' where prices is not null and not prices ? 'transcription';

reset role;

-- In databases of an earlier version the network's id and hash of a file stood inside of messages.media, which now is what the API shows.
-- In all others 0014_messages.sql has made these columns.

alter table media_downloads add column if not exists network_id text, add column if not exists sha256 text;

-- Row security may apply to the owner, who would then see no row.
set local role parley_system;

update media_downloads d set network_id = m.media->'network'->>'networkId', sha256 = m.media->'network'->>'sha256'
  from messages m where m.company_id = d.company_id and m._id = d.message_id and d.network_id is null;

update messages set media = media - 'network' where media ? 'network';

reset role;

-- The queue holds only what is still to be fetched, so the rows are read in an instant.
-- squawk-ignore adding-not-nullable-field
alter table media_downloads alter column network_id set not null;

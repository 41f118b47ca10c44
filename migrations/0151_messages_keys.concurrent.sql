-- Adds the messages from before 0150_messages_keys.sql. Each portion is locked, so that none gets another id, or goes, before its key is stored.
-- Row security may apply to the owner, who would then see no row.
set role parley_system;
do $$ declare company text; place text; begin
  for company in select _id from companies loop place := ''; while place is not null loop
    with portion as (select company_id, _id, inbox_id, external_id from messages where company_id = company and _id > place
        order by _id limit 1000 for no key update),
      written as (insert into message_keys (company_id, key, message_id)
        select company_id, message_key(inbox_id, external_id), _id from portion where external_id is not null on conflict do nothing)
    select max(_id) into place from portion; commit; end loop; end loop; end $$;
reset role;
analyze message_keys;

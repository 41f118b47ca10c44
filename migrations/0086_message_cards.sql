-- The attachments that the cards of a template's carousel show. While a message names them, they can not be removed.
set local lock_timeout = '2s';

create table message_cards (
  company_id text collate "C" not null references companies,
  message_id text collate "C" not null,
  attachment_id text collate "C" not null,
  primary key (company_id, message_id, attachment_id),
  foreign key (company_id, message_id) references messages on delete cascade,
  foreign key (company_id, attachment_id) references attachments
);
create index message_cards_attachment on message_cards (company_id, attachment_id);
call tenant_table('message_cards');

-- A file that a contact has sent stays while another message shows it.
create or replace function remove_brought(company text, ids text[]) returns void language plpgsql as $$
begin
  -- A send locks the attachment that it names, so after this statement the next one sees the message of the send.
  perform from attachments where company_id = company and _id = any(ids) and is_brought order by _id for update;
  delete from attachments a where a.company_id = company and a._id = any(ids) and a.is_brought
    and not exists (select from messages m where m.company_id = company and m.attachment_id = a._id)
    and not exists (select from message_cards c where c.company_id = company and c.attachment_id = a._id);
end
$$;
create trigger brought_deleted after delete on message_cards referencing old table as gone
  for each statement execute function remove_deleted_files();

-- Deletes files that came with a message, a card or a picture, once no record names them.
create or replace function remove_brought(company text, ids text[]) returns void language plpgsql as $$
begin
  -- Whoever names an attachment locks it, so after this statement the next one sees the record that does.
  perform from attachments where company_id = company and _id = any(ids) and is_brought order by _id for update;
  delete from attachments a where a.company_id = company and a._id = any(ids) and a.is_brought
    and not exists (select from messages m where m.company_id = company and m.attachment_id = a._id)
    and not exists (select from message_cards c where c.company_id = company and c.attachment_id = a._id)
    and not exists (select from quick_replies q where q.company_id = company and q.attachment_id = a._id)
    and not exists (select from knowledge_items k where k.company_id = company and k.attachment_id = a._id)
    and not exists (select from campaign_files f where f.company_id = company and f.attachment_id = a._id)
    and not exists (select from users u where u.company_id = company and u.picture_id = a._id);
end
$$;

create or replace trigger inserted after insert on attachment_copies referencing new table as written
  for each statement execute function count_inserted_unbounded();
create or replace trigger deleted after delete on attachment_copies referencing old table as gone
  for each statement execute function count_deleted();

create or replace trigger inserted after insert on attachments referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on attachments referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on attachments for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated_unbounded();

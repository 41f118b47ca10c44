-- The attachment whose public link is the picture of a user. While a user shows it, it can not be removed.
set local lock_timeout = '2s';

alter table users add column picture_id text collate "C";
set local role parley_system;
update users u set picture_id = a._id from attachments a
  where a.company_id = u.company_id and a.link = substring(u.avatar_url from '/files/' || u.company_id || '/([^/.]+)[.][a-z0-9]+$');
reset role;
alter table users add constraint users_picture_ref foreign key (company_id, picture_id) references attachments not valid;

-- A file that somebody uploaded as their picture goes with it, as that of a contact goes with its message.
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

create function remove_replaced_picture() returns trigger language plpgsql as $$
begin
  perform remove_brought(old.company_id, array[old.picture_id]);
  return null;
end
$$;
create trigger picture_replaced after update of picture_id on users for each row
  when (old.picture_id is not null and old.picture_id is distinct from new.picture_id) execute function remove_replaced_picture();

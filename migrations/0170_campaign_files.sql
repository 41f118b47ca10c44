-- The attachments that the templates of a campaign show. While a campaign names them, they can not be removed.
set local lock_timeout = '2s';

create table campaign_files (
  company_id text collate "C" not null references companies,
  campaign_id text collate "C" not null,
  attachment_id text collate "C" not null,
  primary key (company_id, campaign_id, attachment_id),
  foreign key (company_id, campaign_id) references campaigns on delete cascade,
  foreign key (company_id, attachment_id) references attachments
);
create index campaign_files_attachment on campaign_files (company_id, attachment_id);
call tenant_table('campaign_files');

-- A file that a contact has sent stays while another record shows it. The erasure of the contact failed when one did that was no message.
create or replace function remove_brought(company text, ids text[]) returns void language plpgsql as $$
begin
  -- Whoever names an attachment locks it, so after this statement the next one sees the record that does.
  perform from attachments where company_id = company and _id = any(ids) and is_brought order by _id for update;
  delete from attachments a where a.company_id = company and a._id = any(ids) and a.is_brought
    and not exists (select from messages m where m.company_id = company and m.attachment_id = a._id)
    and not exists (select from message_cards c where c.company_id = company and c.attachment_id = a._id)
    and not exists (select from quick_replies q where q.company_id = company and q.attachment_id = a._id)
    and not exists (select from knowledge_items k where k.company_id = company and k.attachment_id = a._id)
    and not exists (select from campaign_files f where f.company_id = company and f.attachment_id = a._id);
end
$$;

-- Texts that people insert by a shortcut. One without an owner belongs to the whole company.
create table quick_replies (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  title text not null,
  shortcut text not null,
  content text not null,
  attachment_id text collate "C",
  owner_id text collate "C",
  record_bytes integer not null generated always as (
    octet_length(title) + octet_length(shortcut) + octet_length(content) + 300
  ) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  constraint quick_replies_attachment_ref foreign key (company_id, attachment_id) references attachments,
  foreign key (company_id, owner_id) references users on delete cascade
);
create unique index quick_replies_shortcut_key on quick_replies (company_id, coalesce(owner_id, ''), lower(shortcut));
create index quick_replies_list on quick_replies (company_id, created_at desc, _id desc);
create index quick_replies_updated on quick_replies (company_id, updated_at desc, _id desc);
create index quick_replies_owner on quick_replies (company_id, owner_id) where owner_id is not null;
create index quick_replies_attachment on quick_replies (company_id, attachment_id) where attachment_id is not null;
call tenant_table('quick_replies');
call counted_table('quick_replies');

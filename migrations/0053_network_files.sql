-- The ids under which networks keep files of companies, so that a file is uploaded once and sent many times. An id is valid for one address
-- of a network alone, and expires.
create table network_files (
  company_id text collate "C" not null references companies,
  attachment_id text collate "C" not null,
  channel text not null,
  address text collate "C" not null,
  network_id text not null,
  expires_at timestamptz(3) not null,
  primary key (company_id, attachment_id, channel, address),
  foreign key (company_id, attachment_id) references attachments on delete cascade
);
call tenant_table('network_files');

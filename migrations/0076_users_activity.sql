-- When users were last in the console, and when they were last mailed what they missed. Apart from users, because it changes all the time.
create table user_activity (
  company_id text collate "C" not null references companies,
  user_id text collate "C" not null,
  active_at timestamptz(3),
  mailed_at timestamptz(3),
  primary key (company_id, user_id),
  foreign key (company_id, user_id) references users on delete cascade
);
call tenant_table('user_activity');

-- Teams that may have a conversation to give to a member. Each change that makes one possible adds a row, so that no two changes wait for each
-- other; the work takes all rows of a team at once.
create table team_turns (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  team_id text collate "C" not null,
  due_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, team_id) references teams on delete cascade
);
create index team_turns_due on team_turns (due_at);
create index team_turns_team on team_turns (company_id, team_id);
call tenant_table('team_turns');

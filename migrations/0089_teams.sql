-- Groups of users to whom conversations are assigned. A team is hidden as soon as removed_at is set; a job then takes it out of the inboxes and
-- conversations that name it, and deletes it.
create table teams (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  description text,
  -- How conversations without an owner are given to members.
  distribution text not null default 'MANUAL' check (distribution in ('MANUAL', 'ROUND_ROBIN', 'LEAST_LOADED')),
  -- The most open conversations that a member owns, in all teams, before this team gives the member no more; null for no limit.
  capacity integer check (capacity between 1 and 1000),
  removed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id)
);
create unique index teams_name_key on teams (company_id, lower(name)) where removed_at is null;
create index teams_list on teams (company_id, created_at desc, _id desc);
create index teams_updated on teams (company_id, updated_at desc, _id desc);
call tenant_table('teams');

create table team_members (
  company_id text collate "C" not null references companies,
  team_id text collate "C" not null,
  user_id text collate "C" not null,
  -- When the member was last given a conversation of this team; null for never.
  last_assigned_at timestamptz,
  primary key (company_id, team_id, user_id),
  foreign key (company_id, team_id) references teams on delete cascade,
  foreign key (company_id, user_id) references users on delete cascade
);
create index team_members_user on team_members (company_id, user_id);
call tenant_table('team_members');

-- Whether the user is given conversations of teams.
alter table users add column availability text not null default 'ONLINE' check (availability in ('ONLINE', 'AWAY'));

alter table inboxes add column default_team text collate "C";
alter table inboxes add constraint inboxes_default_team_ref foreign key (company_id, default_team) references teams not valid;

alter table conversations add column team_id text collate "C";
alter table conversations add constraint conversations_team_ref foreign key (company_id, team_id) references teams not valid;

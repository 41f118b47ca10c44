-- The list of kinds is also in the schemas of the API.
alter table notifications drop constraint notifications_kind_check,
  add constraint notifications_kind_check
    check (kind in ('ASSIGNED', 'TEAM_ASSIGNED', 'MENTIONED', 'REPLIED', 'UNASSIGNED_NEW', 'NOT_SENT')) not valid;
alter table notification_settings drop constraint notification_settings_kind_check,
  add constraint notification_settings_kind_check
    check (kind in ('ASSIGNED', 'TEAM_ASSIGNED', 'MENTIONED', 'REPLIED', 'UNASSIGNED_NEW', 'NOT_SENT')) not valid;

-- When it was last in a mail. It is mailed again only if it was raised since.
alter table notifications add column mailed_at timestamptz(3);

alter table notification_settings add column in_push boolean not null default true, add column in_mail boolean not null default false;
update notification_settings set in_push = in_browser, in_mail = kind in ('ASSIGNED', 'MENTIONED');

-- The browsers to which notifications are pushed.
create table push_subscriptions (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  user_id text collate "C" not null,
  -- The user's session version at the registration: a new password or a deactivation raises it, which ends the push.
  session_version integer not null,
  -- The browser session that registered it last, with whose log-out the push ends. Null for a token.
  session_hash bytea,
  -- Where the browser's push service takes messages, and the keys with which they are encrypted for the browser.
  endpoint text not null,
  p256dh text not null,
  auth text not null,
  browser text not null,
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, user_id) references users on delete cascade
);
create unique index push_subscriptions_key on push_subscriptions (company_id, user_id, endpoint);
create index push_subscriptions_list on push_subscriptions (company_id, user_id, created_at desc, _id desc);
create index push_subscriptions_updated on push_subscriptions (company_id, user_id, updated_at desc, _id desc);
create index push_subscriptions_session on push_subscriptions (session_hash) where session_hash is not null;
create index push_subscriptions_age on push_subscriptions (updated_at);
call tenant_table('push_subscriptions');

-- Notifications that wait to be pushed to a browser.
create table pushes (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  subscription_id text collate "C" not null,
  notification_id text collate "C" not null,
  attempts integer not null default 0,
  -- Whether a worker may take it now; when one took it last; and when its claim ends, or its pause.
  is_waiting boolean not null default true,
  claimed_at timestamptz(3),
  held_until timestamptz(3),
  added_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, subscription_id) references push_subscriptions on delete cascade,
  foreign key (company_id, notification_id) references notifications on delete cascade
);
create unique index pushes_key on pushes (company_id, subscription_id, notification_id);
create index pushes_notification on pushes (company_id, notification_id);
create index pushes_waiting on pushes (company_id, added_at) where is_waiting;
create index pushes_held on pushes (held_until) where not is_waiting;
call tenant_table('pushes');

-- The place in the daily limit of a business that a message has taken. It is given back when the network reports later that the message
-- reached nobody.
create table message_places (
  company_id text collate "C" not null references companies,
  message_id text collate "C" not null,
  channel text not null,
  portfolio text collate "C" not null,
  person text collate "C" not null,
  reached_at timestamptz(3) not null,
  -- When a message had reached the person before, within the last day.
  reached_before timestamptz(3),
  -- True from the report that the message failed until the place is given back.
  is_due boolean not null default false,
  primary key (company_id, message_id),
  foreign key (company_id, message_id) references messages on delete cascade
);
create index message_places_due on message_places (company_id) where is_due;
call tenant_table('message_places');

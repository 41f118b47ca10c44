alter table notifications validate constraint notifications_kind_check;
alter table notification_settings validate constraint notification_settings_kind_check;
create index concurrently if not exists notifications_unmailed on notifications (created_at)
  where read_at is null and (mailed_at is null or mailed_at < created_at);

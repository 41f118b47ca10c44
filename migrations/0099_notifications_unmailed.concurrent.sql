create index concurrently if not exists notifications_unmailed on notifications (created_at)
  where read_at is null and (mailed_at is null or mailed_at < created_at);

-- What searches and filters of usernames look up. Few contacts have one, so the others are not in this index.
create index concurrently if not exists contacts_username on contacts using gin (company_id, username gin_trgm_ops)
  with (gin_pending_list_limit = 512) where username is not null;

-- This index has the order of the list.
create index concurrently if not exists contacts_list on contacts (company_id, created_at desc, _id desc);
-- One index holds everything that a search or a filter looks for, so an insert adds to a single pending list. Each look-up reads through
-- that list, so it is limited to half a megabyte. Without the list, inserts take twice as long.
create index concurrently if not exists contacts_search on contacts using gin (
  company_id, folded_name gin_trgm_ops, folded_email gin_trgm_ops, phone_number gin_trgm_ops,
  lower(professional_network_identifier) gin_trgm_ops, coalesce(lower(country_code), ''),
  contact_marks(name, email, phone_number, professional_network_identifier, coalesce(folded_name, '') || coalesce(folded_email, '')), (lower(custom_fields::text)::jsonb) jsonb_path_ops
) with (gin_pending_list_limit = 512);

-- The number of bytes that a record takes in an answer, stored beside it, so that a page, a portion or the stock of a company is measured
-- without reading the values. The database computes the number whenever one of these columns is written, so no code can forget it. It is an
-- upper bound: its constant part stands for the names of the fields, ids, times and short texts.

-- Returns the length of a text in JSON, with quotes and with the characters that JSON escapes.
create function json_bytes(value text) returns integer
language sql immutable parallel safe
return octet_length(to_json(value)::text);

create function json_bytes(items text[]) returns integer
language sql immutable parallel safe
return octet_length(to_json(items)::text);

-- Each statement rewrites its table once, and other statements on the table wait meanwhile.
alter table contacts
  -- squawk-ignore adding-field-with-default
  add column record_bytes integer not null generated always as (
    1000 + json_bytes(coalesce(name, '') || coalesce(email, '') || coalesce(professional_network_identifier, '')
      || coalesce(external_id, '') || coalesce(avatar_url, '') || coalesce(language, ''))
    + case when tags = '{}' then 0 else json_bytes(tags) end
    + case when custom_fields = '{}' then 0 else octet_length(custom_fields::text) end
  ) stored;

alter table businesses
  -- squawk-ignore adding-field-with-default
  add column record_bytes integer not null generated always as (
    500 + json_bytes(name || coalesce(domain, '') || coalesce(description, ''))
    + case when custom_fields = '{}' then 0 else octet_length(custom_fields::text) end
  ) stored;

alter table conversations
  -- squawk-ignore adding-field-with-default
  add column record_bytes integer not null generated always as (
    1500 + case when tags = '{}' then 0 else json_bytes(tags) end
    + case when custom_fields = '{}' then 0 else octet_length(custom_fields::text) end
  ) stored;

alter table messages
  -- squawk-ignore adding-field-with-default
  add column record_bytes integer not null generated always as (
    1500 + coalesce(json_bytes(content), 0) + coalesce(octet_length(media::text), 0) + coalesce(octet_length(template::text), 0)
    + coalesce(octet_length(interactive::text), 0) + coalesce(octet_length(location::text), 0)
    + coalesce(octet_length(contacts::text), 0) + coalesce(octet_length(reaction::text), 0)
    + coalesce(octet_length(referral::text), 0) + octet_length(errors::text) + coalesce(octet_length(failure_reason::text), 0)
  ) stored;

alter table table_rows
  -- squawk-ignore adding-field-with-default
  add column record_bytes integer not null generated always as (400 + octet_length(data::text)) stored;

alter table tables
  -- squawk-ignore adding-field-with-default
  add column record_bytes integer not null generated always as (
    500 + json_bytes(name || coalesce(description, '')) + octet_length(columns::text)
  ) stored;

alter table custom_fields
  -- squawk-ignore adding-field-with-default
  add column record_bytes integer not null generated always as (
    500 + json_bytes(title || coalesce(description, '')) + json_bytes(options)
  ) stored,
  -- The bytes that the field itself adds to each record with a value of it: its id, slug and title.
  -- squawk-ignore adding-field-with-default
  add column name_bytes integer not null generated always as (64 + octet_length(slug) + json_bytes(title)) stored;

alter table imports
  -- squawk-ignore adding-field-with-default
  add column record_bytes integer not null generated always as (
    1000 + json_bytes(file_name) + octet_length(options::text) + octet_length(row_errors::text) + coalesce(octet_length(error::text), 0)
  ) stored;

-- Returns the bytes that the fields of a context add to a record that has a value of each field.
create function field_names_bytes(company text, of_context text) returns integer
language sql stable as $$
  select coalesce(sum(name_bytes), 0)::integer from custom_fields where company_id = company and context = of_context
$$;

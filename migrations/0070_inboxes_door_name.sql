-- The name by which clients of other protocols address an inbox: instances have names at Evolution. Rows of a process that does not know the
-- column yet get a unique one.
alter table inboxes add column door_name text collate "C";
alter table inboxes alter column door_name set default new_id();

-- Row security may apply to the owner, who would then see no row.
set local role parley_system;

with named as (
  select company_id, _id, created_at, coalesce(nullif(settings->'partner_api_config'->>'instance_name', ''),
      nullif(regexp_replace(left(trim(both '_' from regexp_replace(fold(name), '[^a-z0-9]+', '_', 'g')), 64), '_+$', ''), ''), 'inbox') as wanted
  from inboxes
), numbered as (
  -- Only ACTIVE inboxes need different names, and the oldest one keeps its own.
  select i.*, row_number() over (partition by i.company_id, wanted order by b.status, i.created_at, i._id) as place
  from named i join inboxes b using (company_id, _id)
)
update inboxes i set door_name = case when n.place = 1 then n.wanted else n.wanted || '_' || n._id end
  from numbered n where n.company_id = i.company_id and n._id = i._id;

reset role;

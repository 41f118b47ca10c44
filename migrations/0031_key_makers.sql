-- The user or the key of the same company that created a key, even when it has been removed since. For older keys the audit names it. A
-- company must not see global keys, so a key that a global key created has no creator here.
alter table api_keys add column created_by text collate "C";
update api_keys k set created_by = a.actor_id
from audit_log a
where a.action = 'api-keys.create' and a.resource_id = k._id and a.company_id is not distinct from k.company_id
  and (
    a.actor_type = 'USER'
    or a.actor_type = 'KEY'
      and exists (select 1 from api_keys m where m._id = a.actor_id and m.company_id is not distinct from k.company_id)
  );

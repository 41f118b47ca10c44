-- Each company gets a default pipeline, and a step can be removed after its conversations have moved to another step.

-- A pipeline or a step that is removed while many conversations are in it is hidden at once. A job then moves the conversations, a portion
-- at a time, and deletes the pipeline or step when the last one has left.
alter table pipelines add column retired boolean not null default false;
alter table pipeline_steps add column replaced_by text collate "C";
alter table pipeline_steps add constraint pipeline_steps_replacement foreign key (company_id, replaced_by)
  references pipeline_steps not valid;

-- Row-level security also applies to the owner of the tables, so the update runs as the system role, which sees the rows of all companies.
set local role parley_system;
update pipelines p set is_default = true
where not exists (select 1 from pipelines d where d.company_id = p.company_id and d.is_default)
  and p._id = (select o._id from pipelines o where o.company_id = p.company_id order by o.created_at, o._id limit 1);
with given (language, position, pipeline, name, kind) as (
  values ('pt-BR', 0, 'Funil de vendas', 'Novo', 'OPEN'), ('pt-BR', 1, '', 'Em atendimento', 'OPEN'),
    ('pt-BR', 2, '', 'Proposta', 'OPEN'), ('pt-BR', 3, '', 'Ganho', 'WON'), ('pt-BR', 4, '', 'Perdido', 'LOST'),
    ('en', 0, 'Sales pipeline', 'New', 'OPEN'), ('en', 1, '', 'In progress', 'OPEN'), ('en', 2, '', 'Proposal', 'OPEN'),
    ('en', 3, '', 'Won', 'WON'), ('en', 4, '', 'Lost', 'LOST'),
    ('es', 0, 'Embudo de ventas', 'Nuevo', 'OPEN'), ('es', 1, '', 'En atención', 'OPEN'),
    ('es', 2, '', 'Propuesta', 'OPEN'), ('es', 3, '', 'Ganado', 'WON'), ('es', 4, '', 'Perdido', 'LOST')
), lacking as (
  select c._id as company_id, new_id() as pipeline_id, coalesce(c.general_config ->> 'language', 'pt-BR') as language
  from companies c where not exists (select 1 from pipelines p where p.company_id = c._id)
), made as (
  insert into pipelines (company_id, _id, name, is_default)
  select l.company_id, l.pipeline_id, g.pipeline, true from lacking l join given g on g.language = l.language and g.position = 0
  returning company_id, _id
)
insert into pipeline_steps (company_id, _id, pipeline_id, name, position, kind)
select m.company_id, new_id(), m._id, g.name, g.position, g.kind
from made m join lacking l on l.company_id = m.company_id join given g on g.language = l.language;
reset role;

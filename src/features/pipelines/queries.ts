import { exec, maybeOne } from '../../platform/store/db.ts';
import type { Page, Since, Window } from '../../platform/store/paging.ts';
import { countRows, listPage, type PlainList } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { Pipeline } from './schemas.ts';

/** The columns of a pipeline as the API shows it, without removed steps that still have conversations. */
const PIPELINE = `p._id, p.company_id as company, p.name, p.is_default,
  (select coalesce(json_agg(json_build_object('_id', s._id, 'name', s.name, 'order', s.position, 'kind', s.kind)
      order by s.position, s._id), '[]')
    from pipeline_steps s where s.company_id = p.company_id and s.pipeline_id = p._id and s.replaced_by is null) as steps,
  p.created_at as "createdAt", p.updated_at as "updatedAt"`;

export function findPipeline(tx: TenantRead, id: string): Promise<Pipeline | null> {
  return maybeOne(tx, {
    name: 'pipelines.find',
    text: `select ${PIPELINE} from pipelines p where p.company_id = $1 and p._id = $2 and not p.retired`,
    values: [tx.companyId, id],
  });
}

export function findDefaultPipeline(tx: TenantRead): Promise<Pipeline | null> {
  return maybeOne(tx, {
    name: 'pipelines.findDefault',
    text: `select ${PIPELINE} from pipelines p where p.company_id = $1 and p.is_default and not p.retired`,
    values: [tx.companyId],
  });
}

const pipelineList = (tx: TenantRead): PlainList => ({
  name: 'pipelines',
  columns: PIPELINE,
  from: 'pipelines p',
  filter: 'company_id = $1 and not retired',
  values: [tx.companyId],
});

export function listPipelines(tx: TenantRead, window: Window): Promise<Page<Pipeline>> {
  return listPage(tx, window, pipelineList(tx));
}

export function countPipelines(tx: TenantRead, window: Since): Promise<number> {
  return countRows(tx, pipelineList(tx), window);
}

/**
 * Locks all pipelines of the company. Changes run one after the other, because the pipelines share one default and steps may replace steps
 * of another pipeline.
 */
export function lockPipelines(tx: TenantTx): Promise<number> {
  return exec(tx, {
    name: 'pipelines.lock',
    text: 'select 1 from pipelines where company_id = $1 order by _id for no key update',
    values: [tx.companyId],
  });
}

export function insertPipeline(
  tx: TenantTx,
  { _id, name, is_default }: Pick<Pipeline, '_id' | 'name' | 'is_default'>,
): Promise<number> {
  return exec(tx, {
    name: 'pipelines.insert',
    text: 'insert into pipelines (company_id, _id, name, is_default) values ($1, $2, $3, $4)',
    values: [tx.companyId, _id, name, is_default],
  });
}

export function updatePipeline(
  tx: TenantTx,
  { _id, name, is_default }: Pick<Pipeline, '_id' | 'name' | 'is_default'>,
): Promise<number> {
  return exec(tx, {
    name: 'pipelines.update',
    text: 'update pipelines set name = $3, is_default = $4, updated_at = now() where company_id = $1 and _id = $2',
    values: [tx.companyId, _id, name, is_default],
  });
}

/** Makes the current default pipeline an ordinary one, before another pipeline becomes the default. */
export function clearDefault(tx: TenantTx): Promise<number> {
  return exec(tx, {
    name: 'pipelines.clearDefault',
    text: 'update pipelines set is_default = false, updated_at = now() where company_id = $1 and is_default',
    values: [tx.companyId],
  });
}

/** Hides a pipeline whose conversations are still moving to other steps. */
export function retirePipeline(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'pipelines.retire',
    text: 'update pipelines set retired = true where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}

/** Deletes hidden pipelines that have no steps left. */
export function deleteEmptiedPipelines(tx: TenantTx): Promise<number> {
  return exec(tx, {
    name: 'pipelines.deleteLeft',
    text: `delete from pipelines p where p.company_id = $1 and p.retired
      and not exists (select 1 from pipeline_steps s where s.company_id = $1 and s.pipeline_id = p._id)`,
    values: [tx.companyId],
  });
}

import { exec, maybeOne, oneValue } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import { findUnknown } from '../../platform/store/unknown-references.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { Agent, ListedAgent } from './schemas.ts';

const LISTED = `_id, company_id as company, name, description, type, status, model, handoff, url, knowledge_scope,
  array(select k.item_id from agent_knowledge k where k.company_id = agents.company_id and k.agent_id = agents._id order by k.item_id)
    as knowledge,
  tools, vision, transcription_model, prices, follow_ups, handoff_message,
  array(select t._id from agent_tables g join tables t on t.company_id = g.company_id and t._id = g.table_id and t.removed_at is null
    where g.company_id = agents.company_id and g.agent_id = agents._id order by t._id) as tables,
  array(select m.server_id from agent_mcp_servers m where m.company_id = agents.company_id and m.agent_id = agents._id
    order by m.server_id) as mcp_servers,
  created_at as "createdAt", updated_at as "updatedAt"`;
const COLUMNS = `${LISTED}, instructions`;

/** The fields of an agent that a caller can change, except the knowledge items and the tables. */
export type AgentFields = Pick<
  Agent,
  | 'name'
  | 'description'
  | 'status'
  | 'model'
  | 'instructions'
  | 'handoff'
  | 'handoff_message'
  | 'url'
  | 'knowledge_scope'
  | 'tools'
  | 'follow_ups'
  | 'vision'
  | 'transcription_model'
  | 'prices'
>;

/** Returns the names of the filters whose records do not exist. */
export function findUnknownFilters(
  tx: TenantRead,
  asked: Record<'agent' | 'conversation', string | null>,
): Promise<string[]> {
  return findUnknown(tx, {
    name: 'agents.findUnknown',
    tables: { agent: 'agents', conversation: 'conversations' },
    asked,
  });
}

export function findAgent(tx: TenantRead, id: string): Promise<Agent | null> {
  return maybeOne(tx, {
    name: 'agents.find',
    text: `select ${COLUMNS} from agents where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

/** Locks an agent and then reads it, because a lock that was waited for shows the record of before the wait. */
export async function lockAgent(tx: TenantTx, id: string): Promise<Agent | null> {
  await exec(tx, {
    name: 'agents.lock',
    text: 'select 1 from agents where company_id = $1 and _id = $2 for no key update',
    values: [tx.companyId, id],
  });
  return findAgent(tx, id);
}

export function countAll(tx: TenantTx): Promise<number> {
  return oneValue(tx, {
    name: 'agents.countAll',
    text: 'select count(*)::int as count from agents where company_id = $1',
    values: [tx.companyId],
  });
}

const toValues = (fields: AgentFields): unknown[] => [
  fields.name,
  fields.description,
  fields.status,
  fields.model,
  fields.instructions,
  JSON.stringify(fields.handoff),
  fields.url,
  fields.knowledge_scope,
  fields.tools,
  JSON.stringify(fields.follow_ups),
  fields.vision,
  fields.transcription_model,
  fields.prices && JSON.stringify(fields.prices),
  fields.handoff_message,
];

export function insertAgent(
  tx: TenantTx,
  { _id, type, ...fields }: AgentFields & Pick<Agent, '_id' | 'type'>,
): Promise<number> {
  return exec(tx, {
    name: 'agents.insert',
    text: `insert into agents (company_id, _id, type, name, description, status, model, instructions, handoff, url, knowledge_scope,
        tools, follow_ups, vision, transcription_model, prices, handoff_message)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
    values: [tx.companyId, _id, type, ...toValues(fields)],
  });
}

export function updateAgent(tx: TenantTx, id: string, fields: AgentFields): Promise<number> {
  return exec(tx, {
    name: 'agents.update',
    text: `update agents set name = $3, description = $4, status = $5, model = $6, instructions = $7, handoff = $8, url = $9,
      knowledge_scope = $10, tools = $11, follow_ups = $12, vision = $13, transcription_model = $14, prices = $15, handoff_message = $16,
      updated_at = now() where company_id = $1 and _id = $2`,
    values: [tx.companyId, id, ...toValues(fields)],
  });
}

export function deleteAgent(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'agents.delete',
    text: 'delete from agents where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}

export interface AgentFilter {
  type: string | null;
  status: string | null;
  search: string | null;
}

export function listAgents(
  tx: TenantRead,
  { type, status, search }: AgentFilter,
  window: Window,
): Promise<Page<ListedAgent>> {
  return listPage(tx, window, {
    name: 'agents',
    columns: LISTED,
    from: 'agents',
    filter: `company_id = $1 and ($2::text is null or type = $2) and ($3::text is null or status = $3)
      and ($4::text is null or strpos(fold(name), fold($4)) > 0 or strpos(fold(description), fold($4)) > 0)`,
    values: [tx.companyId, type, status, search],
  });
}

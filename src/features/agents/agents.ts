/** Agents: who answers contacts, from the knowledge base, by a model or by a server of the company. */
import { isDeepStrictEqual } from 'node:util';
import type { Kit } from '../../kit.ts';
import { expectTarget } from '../../platform/outside/targets.ts';
import { isReferenced } from '../../platform/store/db.ts';
import { AppError, expectFound, invalid, unknownReference } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { lockLimit } from '../../platform/store/limit-lock.ts';
import { pageWindow, readSearch, type Page } from '../../platform/store/paging.ts';
import { expectRecordSize } from '../../platform/values/sizes.ts';
import type { Tenant, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { checkGivenFiles } from '../templates/given-files.ts';
import type { FollowUpRule } from './follow-ups/schemas.ts';
import { replaceLinks, type LinkField } from './link-queries.ts';
import {
  countAll,
  deleteAgent,
  findAgent,
  insertAgent,
  listAgents,
  lockAgent,
  updateAgent,
  type AgentFields,
} from './queries.ts';
import {
  DEFAULT_HANDOFF,
  DEFAULT_TOOLS,
  MAX_AGENTS,
  type Agent,
  type AgentCreate,
  type AgentQuery,
  type AgentUpdate,
  type GivenPrices,
  type ListedAgent,
  type Prices,
} from './schemas.ts';

/** Throws TARGET_NOT_ALLOWED when the server of an EXTERNAL agent may not be called. */
export async function createAgent(kit: Kit, tenant: Tenant, input: AgentCreate): Promise<Agent> {
  const { name, type, description = null, status = 'ACTIVE', model = null, instructions = null, url = null } = input;
  const { handoff = DEFAULT_HANDOFF, knowledge = [], tools = DEFAULT_TOOLS, tables = [] } = input;
  const { vision = false, transcription_model = null, mcp_servers = [], handoff_message = null } = input;
  const prices = toStoredPrices(input.prices ?? null);
  const knowledge_scope = chooseScope(input, 'ALL');
  const follow_ups = (input.follow_ups ?? []).map(toStoredRule);
  const texts = { name, description, instructions };
  const models = { model, vision, transcription_model, prices, url };
  const fields = { ...texts, ...models, status, handoff, handoff_message, knowledge_scope, tools, follow_ups };
  await checkAddress(kit, type, url);
  await checkFiles(tenant.read, follow_ups);
  return tenant.tx(async (tx) => {
    await lockLimit(tx, 'agents');
    if ((await countAll(tx)) >= MAX_AGENTS)
      throw invalid('name', `is one too many: there are ${MAX_AGENTS} agents already`, 'LIMIT_REACHED');
    const _id = newId();
    await insertAgent(tx, { _id, type, ...fields });
    await listRecords(tx, _id, 'knowledge', knowledge);
    await listRecords(tx, _id, 'tables', tables);
    await listRecords(tx, _id, 'mcp_servers', mcp_servers);
    tx.created(_id);
    return expectSmall(await expectAgent(tx, _id));
  });
}

/** Returns the scope that goes with the given items: items that are listed limit the agent to them. */
function chooseScope(
  { knowledge, knowledge_scope }: Pick<AgentUpdate, 'knowledge' | 'knowledge_scope'>,
  before: Agent['knowledge_scope'],
): Agent['knowledge_scope'] {
  const hasItems = knowledge !== undefined && knowledge.length > 0;
  if (knowledge_scope === 'ALL' && hasItems) throw invalid('knowledge', 'must be empty where knowledge_scope is ALL');
  return knowledge_scope ?? (hasItems ? 'LISTED' : before);
}

export async function expectAgent(read: TenantRead, id: string): Promise<Agent> {
  return expectFound(await findAgent(read, id));
}

export async function pageAgents(tenant: Tenant, query: AgentQuery): Promise<Page<ListedAgent>> {
  const filter = { type: query.type ?? null, status: query.status ?? null, search: readSearch(query) };
  return listAgents(tenant.read, filter, pageWindow('agents', query));
}

export async function updateAgentById(kit: Kit, tenant: Tenant, id: string, input: AgentUpdate): Promise<Agent> {
  const { knowledge, tables, mcp_servers, knowledge_scope: _scope, ...changes } = input;
  if (input.url !== undefined) await checkAddress(kit, (await expectAgent(tenant.read, id)).type, input.url);
  await checkFiles(tenant.read, input.follow_ups ?? []);
  return tenant.tx(async (tx) => {
    const before = expectFound(await lockAgent(tx, id));
    const fields = pickFields(before);
    const follow_ups = input.follow_ups?.map(toStoredRule) ?? fields.follow_ups;
    const prices = input.prices === undefined ? fields.prices : toStoredPrices(input.prices);
    const knowledge_scope = chooseScope(input, before.knowledge_scope);
    const next = { ...fields, ...changes, follow_ups, prices, knowledge_scope };
    const items = next.knowledge_scope === 'ALL' ? [] : (knowledge?.toSorted() ?? before.knowledge);
    const nextTables = tables?.toSorted() ?? before.tables;
    const nextServers = mcp_servers?.toSorted() ?? before.mcp_servers;
    const held = [fields, before.knowledge, before.tables, before.mcp_servers];
    if (isDeepStrictEqual([next, items, nextTables, nextServers], held)) return before;
    if (tables) await listRecords(tx, id, 'tables', tables);
    if (mcp_servers) await listRecords(tx, id, 'mcp_servers', mcp_servers);
    await listRecords(tx, id, 'knowledge', next.knowledge_scope === 'LISTED' && knowledge ? knowledge : items);
    await updateAgent(tx, id, next);
    return expectSmall(await expectAgent(tx, id));
  });
}

/** Throws AGENT_IN_USE while an inbox, a campaign or a conversation names the agent. */
export async function removeAgent(tenant: Tenant, id: string): Promise<Agent> {
  try {
    return await tenant.tx(async (tx) => {
      const agent = expectFound(await lockAgent(tx, id));
      await deleteAgent(tx, id);
      return agent;
    });
  } catch (error) {
    // Failure policy: the database knows what names the agent; every other error goes to the caller.
    if (isReferenced(error)) throw new AppError('AGENT_IN_USE');
    throw error;
  }
}

const expectSmall = (agent: Agent): Agent => expectRecordSize('instructions', agent);

const toStoredPrices = (given: GivenPrices | null): Prices | null => given && { transcription: null, ...given };

const toStoredRule = ({ template = null, ...rule }: NonNullable<AgentCreate['follow_ups']>[number]): FollowUpRule => ({
  ...rule,
  template,
});

async function checkFiles(read: TenantRead, rules: NonNullable<AgentCreate['follow_ups']>): Promise<void> {
  for (const [index, { template }] of rules.entries())
    await checkGivenFiles(read, template, `follow_ups[${index}].template`);
}

const pickFields = ({
  _id: _own,
  company: _company,
  type: _type,
  knowledge: _knowledge,
  tables: _tables,
  mcp_servers: _servers,
  createdAt: _createdAt,
  updatedAt: _updatedAt,
  ...fields
}: Agent): AgentFields => fields;

async function listRecords(tx: TenantTx, agent: string, field: LinkField, ids: string[]): Promise<void> {
  const [unknown] = await replaceLinks(tx, agent, field, ids);
  if (unknown !== undefined) throw unknownReference(`${field}[${ids.indexOf(unknown)}]`);
}

async function checkAddress(kit: Kit, type: Agent['type'], url: string | null): Promise<void> {
  if (type === 'AI' && url !== null) throw invalid('url', 'is only for an EXTERNAL agent');
  if (type === 'EXTERNAL' && url === null) throw invalid('url', 'is required for an EXTERNAL agent', 'REQUIRED');
  if (url !== null) await expectTarget(kit.outbound, 'url', url);
}

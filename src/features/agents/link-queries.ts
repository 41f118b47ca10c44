/** Statements that store which knowledge items, tables and MCP servers an agent lists. */
import { exec, many } from '../../platform/store/db.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';

/** For each field of an agent that lists ids: the table of the links, its column for the id, and which records can be listed. */
export const LINKS = {
  knowledge: { links: 'agent_knowledge', column: 'item_id', records: 'knowledge_items', only: '' },
  tables: { links: 'agent_tables', column: 'table_id', records: 'tables', only: 'and removed_at is null' },
  mcp_servers: { links: 'agent_mcp_servers', column: 'server_id', records: 'mcp_servers', only: '' },
};
export type LinkField = keyof typeof LINKS;

/** Lets an agent list these records and no others. Returns the ids that the company does not have. */
export async function replaceLinks(tx: TenantTx, agent: string, field: LinkField, ids: string[]): Promise<string[]> {
  const { links, column, records, only } = LINKS[field];
  await exec(tx, {
    name: `agents.clearLinks.${field}`,
    text: `delete from ${links} where company_id = $1 and agent_id = $2 and ${column} <> all($3::text[])`,
    values: [tx.companyId, agent, ids],
  });
  if (ids.length === 0) return [];
  const known = await many<{ id: string }>(tx, {
    name: `agents.addLinks.${field}`,
    text: `with known as (select _id from ${records} where company_id = $1 and _id = any($3::text[]) ${only} for key share),
      added as (insert into ${links} (company_id, agent_id, ${column}) select $1, $2, _id from known on conflict do nothing)
      select _id as id from known`,
    values: [tx.companyId, agent, ids],
  });
  const found = new Set(known.map(({ id }) => id));
  return ids.filter((id) => !found.has(id));
}

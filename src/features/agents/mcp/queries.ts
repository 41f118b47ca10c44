import { exec, many, maybeOne, one, oneValue } from '../../../platform/store/db.ts';
import type { Page, Window } from '../../../platform/store/paging.ts';
import { listPage } from '../../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../../platform/store/tenant.ts';
import type { McpServer, McpTool } from './schemas.ts';

const COLUMNS = `_id, company_id as company, name, url, header_name, header_value, tools, look_up, checked_at, error, created_at as "createdAt",
  updated_at as "updatedAt"`;

/** A server as it is stored, with the encrypted value of its header. */
export interface McpServerRow extends Omit<McpServer, 'header'> {
  header_name: string | null;
  header_value: string | null;
}

/** The fields that a caller can change. */
export type McpServerFields = Pick<McpServerRow, 'name' | 'url' | 'header_name' | 'header_value' | 'tools' | 'look_up'>;

export function findMcpServer(tx: TenantRead, id: string): Promise<McpServerRow | null> {
  return maybeOne(tx, {
    name: 'agents.findMcpServer',
    text: `select ${COLUMNS} from mcp_servers where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

export function lockMcpServer(tx: TenantTx, id: string): Promise<McpServerRow | null> {
  return maybeOne(tx, {
    name: 'agents.lockMcpServer',
    text: `select ${COLUMNS} from mcp_servers where company_id = $1 and _id = $2 for no key update`,
    values: [tx.companyId, id],
  });
}

export function countMcpServers(tx: TenantTx): Promise<number> {
  return oneValue(tx, {
    name: 'agents.countAllMcpServers',
    text: 'select count(*)::int as count from mcp_servers where company_id = $1',
    values: [tx.companyId],
  });
}

const toValues = ({ name, url, header_name, header_value, tools, look_up }: McpServerFields): unknown[] => [
  name,
  url,
  header_name,
  header_value,
  JSON.stringify(tools),
  look_up && JSON.stringify(look_up),
];

export function insertMcpServer(tx: TenantTx, id: string, fields: McpServerFields): Promise<McpServerRow> {
  return one(tx, {
    name: 'agents.insertMcpServer',
    text: `insert into mcp_servers (company_id, _id, name, url, header_name, header_value, tools, look_up)
      values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${COLUMNS}`,
    values: [tx.companyId, id, ...toValues(fields)],
  });
}

export function updateMcpServer(tx: TenantTx, id: string, fields: McpServerFields): Promise<McpServerRow> {
  return one(tx, {
    name: 'agents.updateMcpServer',
    text: `update mcp_servers set name = $3, url = $4, header_name = $5, header_value = $6, tools = $7, look_up = $8, error = null,
      checked_at = null, updated_at = now() where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [tx.companyId, id, ...toValues(fields)],
  });
}

/** Notes what a look at the server has shown, unless someone has changed it meanwhile. */
export function noteMcpCheck(
  tx: TenantTx,
  { _id, updatedAt }: Pick<McpServerRow, '_id' | 'updatedAt'>,
  { tools, error }: { tools: McpTool[]; error: string | null },
): Promise<number> {
  return exec(tx, {
    name: 'agents.noteMcpCheck',
    text: `update mcp_servers set tools = $4, error = $5, checked_at = now()
      where company_id = $1 and _id = $2 and updated_at = $3::timestamptz`,
    values: [tx.companyId, _id, updatedAt, JSON.stringify(tools), error],
  });
}

export function deleteMcpServer(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'agents.deleteMcpServer',
    text: 'delete from mcp_servers where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}

/**
 * Reads the servers whose tools an agent may call; none unless the company allows it. A server that has just failed is left out, so that
 * contacts do not wait for it again and again.
 */
export function listServersOfAgent(tx: TenantRead, agent: string): Promise<McpServerRow[]> {
  return many(tx, {
    name: 'agents.listServersOfAgent',
    text: `select ${COLUMNS} from mcp_servers s
      where company_id = $1 and _id in (select server_id from agent_mcp_servers where company_id = $1 and agent_id = $2)
        and (select client_mcp_servers_enabled from companies where _id = $1)
        and (error is null or checked_at < now() - interval '1 minute')
      order by _id`,
    values: [tx.companyId, agent],
  });
}

export function listMcpServers(tx: TenantRead, search: string | null, window: Window): Promise<Page<McpServerRow>> {
  return listPage(tx, window, {
    name: 'agents',
    variant: '.mcp',
    columns: COLUMNS,
    from: 'mcp_servers',
    filter: 'company_id = $1 and ($2::text is null or strpos(fold(name), fold($2)) > 0)',
    values: [tx.companyId, search],
  });
}

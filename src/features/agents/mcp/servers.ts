/** The MCP servers of a company: who they are, and which of their tools a person has approved. */
import { isDeepStrictEqual } from 'node:util';
import type { Kit } from '../../../kit.ts';
import { expectTarget } from '../../../platform/outside/targets.ts';
import { AppError, expectFound, invalid } from '../../../platform/values/errors.ts';
import { newId } from '../../../platform/values/ids.ts';
import { lockLimit } from '../../../platform/store/limit-lock.ts';
import { pageWindow, readSearch, type Page } from '../../../platform/store/paging.ts';
import { isMaskedSecret, maskSecret, type Secrets } from '../../../platform/store/secrets.ts';
import { countBytes, expectRecordSize } from '../../../platform/values/sizes.ts';
import type { Tenant, TenantRead } from '../../../platform/store/tenant.ts';
import { readOwningCompany } from '../../companies/owning-company.ts';
import { lookAtServer } from './look.ts';
import {
  countMcpServers,
  deleteMcpServer,
  findMcpServer,
  insertMcpServer,
  listMcpServers,
  lockMcpServer,
  updateMcpServer,
  type McpServerFields,
  type McpServerRow,
} from './queries.ts';
import { openHeader, sealContext } from './header.ts';
import {
  MAX_MCP_SERVERS,
  MAX_TOOL_SCHEMA,
  type McpCheck,
  type McpServer,
  type McpServerCreate,
  type McpServerQuery,
  type McpServerUpdate,
  type McpTool,
} from './schemas.ts';
import { checkLookUp } from './variables.ts';

/** Throws MCP_NOT_ENABLED unless the company allows servers, and TARGET_NOT_ALLOWED for an address that may not be called. */
export async function createMcpServer(kit: Kit, tenant: Tenant, input: McpServerCreate): Promise<McpServer> {
  const { name, url, header = null, tools = [], look_up = null } = input;
  await expectTarget(kit.outbound, 'url', url);
  const id = newId();
  const place = { company: tenant.companyId, _id: id };
  const fields = {
    name,
    url,
    ...sealHeader(kit.secrets, place, header, null),
    tools: approve(tools),
    look_up: checkLookUp(look_up, tools),
  };
  return tenant.tx(async (tx) => {
    await expectAllowed(tx);
    await lockLimit(tx, 'mcp-servers');
    if ((await countMcpServers(tx)) >= MAX_MCP_SERVERS)
      throw invalid('name', `is one too many: there are ${MAX_MCP_SERVERS} servers already`, 'LIMIT_REACHED');
    const row = await insertMcpServer(tx, id, fields);
    tx.created(id);
    return expectSmall(toServer(kit, row));
  });
}

export async function readMcpServer(kit: Kit, read: TenantRead, id: string): Promise<McpServer> {
  return toServer(kit, await expectServer(read, id));
}

/** The refusal names the tool that has most bytes. */
function expectSmall(server: McpServer): McpServer {
  const bytes = server.tools.map(countBytes);
  return expectRecordSize(`tools[${bytes.indexOf(Math.max(...bytes))}]`, server);
}

export async function expectAllowed(read: TenantRead): Promise<void> {
  const { client_mcp_servers_enabled } = await readOwningCompany(read);
  if (!client_mcp_servers_enabled) throw new AppError('MCP_NOT_ENABLED');
}

async function expectServer(read: TenantRead, id: string): Promise<McpServerRow> {
  return expectFound(await findMcpServer(read, id));
}

export async function pageMcpServers(kit: Kit, tenant: Tenant, query: McpServerQuery): Promise<Page<McpServer>> {
  const page = await listMcpServers(tenant.read, readSearch(query), pageWindow('mcp-servers', query));
  return { ...page, result: page.result.map((row) => toServer(kit, row)) };
}

export async function updateMcpServerById(
  kit: Kit,
  tenant: Tenant,
  id: string,
  input: McpServerUpdate,
): Promise<McpServer> {
  if (input.url !== undefined) await expectTarget(kit.outbound, 'url', input.url);
  return tenant.tx(async (tx) => {
    await expectAllowed(tx);
    const before = expectFound(await lockMcpServer(tx, id));
    const next = applyInput(kit.secrets, before, input);
    if (isDeepStrictEqual(open(kit.secrets, next, before), open(kit.secrets, before, before)))
      return toServer(kit, before);
    return expectSmall(toServer(kit, await updateMcpServer(tx, id, next)));
  });
}

/** Returns true when a change sends to another address, or to other tools, what the agents that list the server pass on. */
export async function getsMore(read: TenantRead, id: string, { url, tools = [] }: McpServerUpdate): Promise<boolean> {
  const before = await findMcpServer(read, id);
  if (!before) return false;
  return (url !== undefined && url !== before.url) || findNew(before, tools).length > 0;
}

/** Returns true when a change sends values of contacts to another address, to another tool, or to one that is now described otherwise. */
export async function looksUpMore(read: TenantRead, id: string, change: McpServerUpdate): Promise<boolean> {
  const before = await findMcpServer(read, id);
  if (!before) return false;
  const { url = before.url, tools = [], look_up: next = before.look_up } = change;
  if (next === null) return false;
  const isNew = findNew(before, tools).some(({ name }) => name === next.tool);
  return isNew || url !== before.url || !isDeepStrictEqual(next, before.look_up);
}

type ApprovedTools = NonNullable<McpServerUpdate['tools']>;

function findNew(before: McpServerRow, tools: ApprovedTools): ApprovedTools {
  const approved = before.tools.map(({ status: _status, ...tool }) => tool);
  return tools.filter((tool) => !approved.some((one) => isDeepStrictEqual(one, tool)));
}

/** What can be compared: encrypting the same value twice gives different texts. */
const open = (secrets: Secrets, { name, url, tools, look_up, ...header }: McpServerFields, place: McpServerRow) => ({
  name,
  url,
  tools,
  look_up,
  header: openHeader(secrets, { ...place, ...header }),
});

function applyInput(secrets: Secrets, before: McpServerRow, input: McpServerUpdate): McpServerFields {
  const { name = before.name, url = before.url, header, tools, look_up } = input;
  const isElsewhere = new URL(url).origin !== new URL(before.url).origin;
  const stored = openHeader(secrets, before);
  // A secret does not follow to another server, which someone may have chosen to read it.
  if (isElsewhere && stored !== null && (header === undefined || (header && isMaskedSecret(header.value))))
    throw invalid('header', 'must be entered again, or be null, for the address of another server', 'REQUIRED');
  const { header_name, header_value } = before;
  const kept = { header_name, header_value };
  return {
    name,
    url,
    ...(header === undefined ? kept : sealHeader(secrets, before, header, stored)),
    tools: tools ? approve(tools) : before.tools,
    look_up: look_up === undefined ? before.look_up : checkLookUp(look_up, tools ?? before.tools),
  };
}

export function removeMcpServer(kit: Kit, tenant: Tenant, id: string): Promise<McpServer> {
  return tenant.tx(async (tx) => {
    const row = expectFound(await lockMcpServer(tx, id));
    await deleteMcpServer(tx, id);
    return toServer(kit, row);
  });
}

/** Asks the server what it offers, and compares that with what was approved. A server that does not answer offers nothing, and its record says why. */
export async function checkMcpServer(kit: Kit, tenant: Tenant, id: string, signal: AbortSignal): Promise<McpCheck> {
  const row = await expectServer(tenant.read, id);
  await expectAllowed(tenant.read);
  const look = await lookAtServer(kit, tenant, row, signal);
  await look.connection?.close();
  return { server: await readMcpServer(kit, tenant.read, id), offered: look.offered };
}

function approve(tools: NonNullable<McpServerCreate['tools']>): McpTool[] {
  const seen = new Set<string>();
  return tools.map((tool, index) => {
    if (seen.has(tool.name)) throw invalid(`tools[${index}].name`, 'appears twice');
    seen.add(tool.name);
    if (Buffer.byteLength(JSON.stringify(tool.input_schema)) > MAX_TOOL_SCHEMA)
      throw invalid(`tools[${index}].input_schema`, `is larger than ${MAX_TOOL_SCHEMA} bytes`, 'TOO_LARGE');
    return { ...tool, status: 'APPROVED' };
  });
}

// Headers of the connection and of the protocol, which a company cannot set.
const RESERVED =
  /^(?:host|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*|accept|accept-encoding|mcp-.*)$/i;

function sealHeader(
  secrets: Secrets,
  place: Pick<McpServerRow, 'company' | '_id'>,
  header: NonNullable<McpServerCreate['header']> | null,
  stored: { name: string; value: string } | null,
): Pick<McpServerRow, 'header_name' | 'header_value'> {
  if (header === null) return { header_name: null, header_value: null };
  const { name } = header;
  if (RESERVED.test(name)) throw invalid('header.name', 'is a reserved header', 'HEADER_NOT_ALLOWED');
  const value = isMaskedSecret(header.value) ? stored?.value : header.value;
  if (value === undefined) throw invalid('header.value', 'is a mask, but no value is stored');
  return { header_name: name, header_value: secrets.seal(value, sealContext(place)) };
}

function toServer({ secrets }: Kit, row: McpServerRow): McpServer {
  const { header_name: _name, header_value: _value, ...rest } = row;
  const header = openHeader(secrets, row);
  return { ...rest, header: header && { name: header.name, value: maskSecret(header.value) } };
}

/** Looks contacts up in systems of the company: people read what a tool of an MCP server says about them. */
import { EndpointError } from '../../../ai/endpoint.ts';
import type { Kit } from '../../../kit.ts';
import type { Tenant } from '../../../platform/store/tenant.ts';
import { expectFound } from '../../../platform/values/errors.ts';
import { readContact } from '../../contacts/contacts.ts';
import { callInTurn } from '../../inboxes/network-turns.ts';
import { connectServer, cutResult } from './look.ts';
import { findMcpServer, type McpServerRow } from './queries.ts';
import type { ContactLookUp } from './schemas.ts';
import { expectAllowed } from './servers.ts';
import { fillIn, type Arguments } from './variables.ts';

/** Calls the tool with the values of the contact, and notes nothing. */
export async function lookUpContact(
  kit: Kit,
  tenant: Tenant,
  { id, server }: { id: string; server: string },
  hangUp: AbortSignal,
): Promise<ContactLookUp> {
  const contact = await readContact(tenant, id);
  const row = expectFound(await findMcpServer(tenant.read, server));
  const { tool, arguments: wanted } = expectFound(row.look_up);
  await expectAllowed(tenant.read);
  const { given, missing } = fillIn(wanted, contact);
  const place = { contact: id, server };
  if (missing.length > 0) return { ...place, ...NOT_READ, error: null, missing };
  const found = await callInTurn(tenant.companyId, (turn) =>
    ask(kit, row, { tool, given, signal: AbortSignal.any([turn, hangUp]) }),
  );
  return { ...place, ...found, missing };
}

const NOT_READ = { text: null, cut: false };

interface Asked {
  tool: string;
  given: Arguments;
  signal: AbortSignal;
}

async function ask(
  kit: Kit,
  row: McpServerRow,
  { tool, given, signal }: Asked,
): Promise<Pick<ContactLookUp, 'text' | 'cut' | 'error'>> {
  try {
    const { connection, marked } = await connectServer(kit, row, signal);
    try {
      if (!marked.some(({ name, status }) => name === tool && status === 'APPROVED'))
        return { ...NOT_READ, error: `The tool ${tool} is not approved as the server offers it now` };
      const result = await connection.callTool(tool, given);
      const read = cutResult(result.text);
      return result.isError ? { ...NOT_READ, error: `The tool has failed: ${read.text}` } : { ...read, error: null };
    } finally {
      await connection.close();
    }
  } catch (error) {
    // Failure policy: people read why the server has not answered, and look again.
    if (!(error instanceof EndpointError)) throw error;
    return { ...NOT_READ, error: error.message };
  }
}

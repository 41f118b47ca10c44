/** Looks at what an MCP server offers, and notes which of its tools are still those that a person has approved. */
import { isDeepStrictEqual } from 'node:util';
import { EndpointError } from '../../../ai/endpoint.ts';
import { openMcp, type McpConnection, type McpTool as OfferedTool } from '../../../ai/mcp.ts';
import type { Kit } from '../../../kit.ts';
import { explainPattern } from '../../../platform/values/schema.ts';
import type { Acting } from '../../../platform/store/tenant.ts';
import { openHeader } from './header.ts';
import { noteMcpCheck, type McpServerRow } from './queries.ts';
import { MAX_TOOL_DESCRIPTION, MAX_TOOL_SCHEMA, TOOL_NAME, type McpCheck, type McpTool } from './schemas.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

// A list for people, and for a comparison with twenty tools at most.
const MOST_OFFERED = declareLimit(100, {
  topic: 'Agents',
  what: 'MCP server: tools listed',
  beyond: 'the others are left out',
});

const MOST_TEXT = declareLimit(8_000, {
  topic: 'Agents',
  what: 'MCP server: result of a tool',
  unit: 'characters',
  beyond: 'cut',
});

/** Returns the part of a result of a tool that is read, and whether there is more. */
export function cutResult(result: string): { text: string; cut: boolean } {
  const text = result.replaceAll('\0', '');
  return { text: text.slice(0, MOST_TEXT).toWellFormed(), cut: text.length > MOST_TEXT };
}

interface Connected {
  connection: McpConnection;
  offered: OfferedTool[];
  /** The approved tools, with what has become of them. */
  marked: McpTool[];
}

/** Connects to the server, and compares its tools with the approved ones. Throws an EndpointError. */
export async function connectServer(
  { outbound, secrets }: Kit,
  row: McpServerRow,
  signal: AbortSignal,
): Promise<Connected> {
  const connection = await openMcp(outbound, { url: row.url, header: openHeader(secrets, row) }, signal);
  try {
    const offered = (await connection.listTools()).slice(0, MOST_OFFERED);
    const byName = new Map(offered.map((tool) => [tool.name, tool]));
    return {
      connection,
      offered,
      marked: row.tools.map((tool) => ({ ...tool, status: compare(tool, byName.get(tool.name)) })),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

export type Look =
  /** The server is connected; whoever has looked closes the connection. */
  | { error: null; connection: McpConnection; offered: McpCheck['offered']; approved: McpTool[] }
  | { error: string; connection: null; offered: [] };

/** Throws an EndpointError only when `signal` has ended it. */
export async function lookAtServer(kit: Kit, acting: Acting, row: McpServerRow, signal: AbortSignal): Promise<Look> {
  let connected: Connected | null = null;
  try {
    connected = await connectServer(kit, row, signal);
    const { connection, offered, marked } = connected;
    await note(acting, row, { tools: marked, error: null });
    const approved = marked.filter(({ status }) => status === 'APPROVED');
    return { error: null, connection, approved, offered: offered.map((tool) => describeOffer(tool, marked)) };
  } catch (error) {
    await connected?.connection.close();
    // Failure policy: a server that does not answer is shown with what is wrong, and its tools are not offered meanwhile.
    if (signal.aborted || !(error instanceof EndpointError)) throw error;
    kit.log.warn({ err: error, server: row._id }, 'agents: an MCP server does not answer');
    await note(acting, row, { tools: row.tools, error: error.message });
    return { error: error.message, connection: null, offered: [] };
  }
}

/** A look that finds everything as it was is not stored with each turn. */
async function note(
  acting: Acting,
  row: McpServerRow,
  found: { tools: McpTool[]; error: string | null },
): Promise<void> {
  const isKnown = row.checked_at !== null && found.error === null && row.error === null;
  if (isKnown && isDeepStrictEqual(found.tools, row.tools)) return;
  await acting.tx((tx) => noteMcpCheck(tx, row, found));
}

function compare(approved: McpTool, offered: OfferedTool | undefined): McpTool['status'] {
  if (!offered) return 'MISSING';
  const { description, input_schema } = offered;
  const isSame = description === approved.description && isDeepStrictEqual(input_schema, approved.input_schema);
  return isSame ? 'APPROVED' : 'CHANGED';
}

function describeOffer(tool: OfferedTool, known: McpTool[]): McpCheck['offered'][number] {
  const status = known.find(({ name }) => name === tool.name)?.status;
  return { ...tool, status: status === undefined || status === 'MISSING' ? 'NEW' : status, refusal: findRefusal(tool) };
}

function findRefusal({ name, description, input_schema }: OfferedTool): string | null {
  if (!new RegExp(TOOL_NAME.pattern).test(name)) return `its name ${explainPattern(TOOL_NAME.pattern)}`;
  if (description.length > MAX_TOOL_DESCRIPTION)
    return `its description is longer than ${MAX_TOOL_DESCRIPTION} characters`;
  const bytes = Buffer.byteLength(JSON.stringify(input_schema));
  return bytes > MAX_TOOL_SCHEMA ? `its schema is larger than ${MAX_TOOL_SCHEMA} bytes` : null;
}

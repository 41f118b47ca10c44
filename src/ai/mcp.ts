/**
 * Lists and calls the tools of a server that speaks MCP over streamable HTTP, in its versions up to 2026-07-28. All calls go through
 * `outbound`: each is one attempt with a limit in bytes, without redirects, and one signal ends them all. The server can ask nothing back.
 */
import type { FetchLike } from '@modelcontextprotocol/client';
import { hasFewParts } from '../platform/outside/foreign-json.ts';
import type { Outbound, OutboundRequest } from '../platform/outside/outbound.ts';
import { EndpointError } from './endpoint.ts';
import { declareLimit } from '../platform/values/limits.ts';

export interface McpEndpoint {
  url: string;
  /** A header that goes with each call; null without one. */
  header: { name: string; value: string } | null;
}

export interface McpTool {
  name: string;
  description: string;
  /** A JSON schema of the arguments. */
  input_schema: Record<string, unknown>;
}

export interface McpResult {
  /** The texts of the result. Other kinds of content are left out. */
  text: string;
  isError: boolean;
}

export interface McpConnection {
  listTools(): Promise<McpTool[]>;
  callTool(name: string, given: Record<string, unknown>): Promise<McpResult>;
  close(): Promise<void>;
}

/** The most bytes of an answer. The tools of a large server have some hundred kilobytes. */
const MAX_BYTES = declareLimit(512 * 1024, {
  topic: 'Agents',
  what: 'MCP server: response',
  unit: 'bytes',
  beyond: 'the call fails',
});
/** The most events of an answer. The client parses each of them in the process that serves everybody. Large servers answer with one. */
const MAX_EVENTS = declareLimit(100, {
  topic: 'Agents',
  what: 'MCP server: events per response',
  beyond: 'the call fails',
});
/** The most calls of one connection, so that a server cannot make the client talk for ever. */
const MAX_CALLS = declareLimit(24, {
  topic: 'Agents',
  what: 'MCP server: calls per answer',
  beyond: 'the call fails',
});
const MAX_PAGES = declareLimit(5, {
  topic: 'Agents',
  what: 'MCP server: pages of tools',
  beyond: 'the other pages are not read',
});
const CLIENT = { name: 'parley', version: '1' };
const CONNECT_MS = declareLimit(5_000, {
  topic: 'Agents',
  what: 'MCP server: time to connect',
  unit: 'ms',
  beyond: 'the call fails',
});
const CALL_MS = declareLimit(10_000, {
  topic: 'Agents',
  what: 'MCP server: time of a call',
  unit: 'ms',
  beyond: 'the call fails',
});

/** Connects to the server, until `signal` ends it. Throws an EndpointError, as do all functions of the connection. */
export async function openMcp(outbound: Outbound, endpoint: McpEndpoint, signal: AbortSignal): Promise<McpConnection> {
  // The client takes some tenths of a second to load, and few companies have such servers.
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const heard: Heard = { status: null, fault: null };
  const client = new Client(CLIENT, {
    versionNegotiation: { mode: 'auto' },
    inputRequired: { autoFulfill: false },
    // A schema of the server is not compiled: no one reads structured results, and a pattern could take for ever.
    jsonSchemaValidator: {
      getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
    },
  });
  const transport = new StreamableHTTPClientTransport(new URL(endpoint.url), {
    fetch: makeFetch(outbound, endpoint, { signal, heard }),
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 0,
      maxReconnectionDelay: 0,
      reconnectionDelayGrowFactor: 1,
    },
  });
  const options = { signal, timeout: CALL_MS };
  const attempt = <T>(work: Promise<T>): Promise<T> => work.catch((error: unknown) => explain(error, heard));
  await attempt(client.connect(transport, { signal, timeout: CONNECT_MS }));
  return {
    listTools: () => attempt(listPages((cursor) => client.listTools(cursor === undefined ? {} : { cursor }, options))),
    callTool: async (name, given) => readResult(await attempt(client.callTool({ name, arguments: given }, options))),
    async close() {
      try {
        await transport.terminateSession();
        await client.close();
      } catch {
        // Failure policy: a server that does not take the end of a session ends it by itself.
      }
    },
  };
}

interface Heard {
  /** The status that the server has answered last, if it is no success. */
  status: number | null;
  /** Why an answer or a call was refused here. The client of the library hides that in an error of its own. */
  fault: EndpointError | null;
}

function explain(error: unknown, { status, fault }: Heard): never {
  if (error instanceof EndpointError) throw error;
  if (fault) throw fault;
  const message =
    status === null
      ? 'The MCP server cannot be reached, or does not answer as it should.'
      : `The MCP server has answered with the status ${status}.`;
  throw new EndpointError(message, { cause: error });
}

interface RawTool {
  name: string;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
}

async function listPages(
  read: (cursor?: string) => Promise<{ tools: RawTool[]; nextCursor?: string | undefined }>,
): Promise<McpTool[]> {
  const tools: RawTool[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { tools: some, nextCursor } = await read(cursor);
    tools.push(...some);
    cursor = nextCursor;
    if (cursor === undefined) break;
  }
  return tools.map(({ name, description = '', inputSchema }) => ({ name, description, input_schema: inputSchema }));
}

interface RawResult {
  content?: unknown;
  isError?: unknown;
}

function readResult({ content, isError }: RawResult): McpResult {
  const parts = Array.isArray(content) ? content : [];
  const texts = parts.flatMap((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? [part.text] : []));
  return { text: texts.join('\n'), isError: isError === true };
}

/** Makes the function by which the client calls its server. Its standing stream is not opened: no one listens to it. */
function makeFetch(
  outbound: Outbound,
  { url, header }: McpEndpoint,
  { signal, heard }: { signal: AbortSignal; heard: Heard },
): FetchLike {
  let calls = 0;
  const refuse = (words: string): EndpointError => (heard.fault = new EndpointError(words));
  return async (address, init = {}) => {
    const method = init.method ?? 'GET';
    if (method !== 'POST' && method !== 'DELETE') return new Response(null, { status: 405 });
    if (String(address) !== new URL(url).href) throw refuse('The MCP server names another address.');
    calls += 1;
    if (calls > MAX_CALLS) throw refuse('The MCP server wants too many calls.');
    const headers = {
      ...Object.fromEntries(new Headers(init.headers)),
      ...(header && { [header.name]: header.value }),
    };
    const body = typeof init.body === 'string' ? { body: init.body } : {};
    const limited = AbortSignal.any([signal, AbortSignal.timeout(CALL_MS), ...(init.signal ? [init.signal] : [])]);
    const request: OutboundRequest = { method, url, headers, ...body, maxBytes: MAX_BYTES, signal: limited };
    const answer = await outbound.tenant(request);
    heard.status = answer.status >= 200 && answer.status < 300 ? null : answer.status;
    if (answer.truncated) throw refuse('The answer of the MCP server was too long or broke off.');
    if (!hasFewEvents(answer.body) || !hasFewParts(answer.body))
      throw refuse('The answer of the MCP server has too many parts.');
    const hasBody = answer.status >= 200 && answer.status !== 204 && answer.status !== 304;
    return new Response(hasBody ? new Uint8Array(answer.body) : null, {
      status: answer.status,
      headers: answer.headers,
    });
  };
}

const [NEW_LINE, RETURN] = Buffer.from('\n\r');

/** Counts the lines behind which an event can end. */
function hasFewEvents(body: Buffer): boolean {
  let blankLines = 0;
  let isLineEmpty = false;
  for (const byte of body) {
    const isBreak = byte === NEW_LINE || byte === RETURN;
    if (isBreak && isLineEmpty) blankLines += 1;
    isLineEmpty = isBreak;
  }
  return blankLines <= MAX_EVENTS * 3;
}

/** A server that offers tools over MCP, as the library of the protocol makes it. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import type { Json } from './platform.ts';

export interface OfferedTool {
  name: string;
  description: string;
  inputSchema: Json;
}

export interface McpServer {
  url: string;
  /** The tools that it offers; a test may change them. */
  tools: OfferedTool[];
  /** The calls of tools that it has got. */
  calls: { name: string; arguments: Json }[];
  /** The headers of all requests. */
  headers: Record<string, unknown>[];
  /** What it answers to the next calls. */
  answer(reply: (name: string, given: Json) => Json): void;
  /** Answers all requests in this way instead, until it is called without one. */
  fail(status?: number, headers?: Record<string, string>, body?: string): void;
}

export interface McpOptions {
  /** The server knows only the versions of 2025, which begin with a handshake. */
  isOld?: boolean;
}

export const sayText = (text: string, isError = false): Json => ({ content: [{ type: 'text', text }], isError });

/** Starts the server, which stops after the file's last test. */
export async function startMcp(options: McpOptions = {}): Promise<McpServer> {
  const { close, ...server } = await openMcp(options);
  after(close);
  return server;
}

/** Starts the server for a caller who closes it. */
export async function openMcp({ isOld = false }: McpOptions = {}): Promise<McpServer & { close(): void }> {
  const state: Omit<McpServer, 'url' | 'answer' | 'fail'> = { tools: [], calls: [], headers: [] };
  let reply = (_name: string, _given: Json): Json => sayText('Done.');
  let failure: { status: number; headers: Record<string, string>; body: string } | null = null;
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'shop', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools: state.tools as never }));
    server.setRequestHandler('tools/call', ({ params }) => {
      const given = { name: params.name, arguments: params.arguments ?? {} };
      state.calls.push(given);
      return reply(given.name, given.arguments) as never;
    });
    return server;
  });
  const http = createServer((request, response) => {
    void (async () => {
      state.headers.push(request.headers);
      const asked = await toWebRequest(request);
      if (failure) {
        response.writeHead(failure.status, failure.headers).end(failure.body);
        return;
      }
      const isProbe = isOld && request.headers['mcp-method'] !== undefined;
      const answer = isProbe ? new Response('no such version', { status: 400 }) : await handler.fetch(asked);
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    })();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    ...state,
    url: `http://127.0.0.1:${port}/mcp`,
    close: () => {
      http.closeAllConnections();
      http.close();
    },
    answer: (next) => (reply = next),
    fail: (status, headers = {}, body = '') => (failure = status === undefined ? null : { status, headers, body }),
  };
}

async function toWebRequest(request: IncomingMessage): Promise<Request> {
  const body = await buffer(request);
  const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  return new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method ?? 'GET',
    headers,
    ...(hasBody && { body: new Uint8Array(body) }),
  });
}

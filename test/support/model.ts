/** A server that answers like a model, or like the server of an EXTERNAL agent, as a test tells it to. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { buffer } from 'node:stream/consumers';
import type { Json } from './platform.ts';

export interface ModelCall {
  path: string;
  headers: Record<string, unknown>;
  /** The JSON, or the fields of a form. A file is a File. */
  body: Json;
}

type Reply = (call: ModelCall, response: ServerResponse) => void;

export interface ModelServer {
  url: string;
  calls: ModelCall[];
  /** Decides how the next calls are answered. */
  answer(reply: Reply): void;
}

/** The body with which a model answers in these words. */
export const say = (content: string | null, calls: (string | [name: string, given: Json])[] = []): Json => ({
  choices: [
    {
      message: {
        role: 'assistant',
        content,
        tool_calls: calls.map((call) => {
          const [name, given] = typeof call === 'string' ? [call, {}] : call;
          return { type: 'function', function: { name, arguments: JSON.stringify(given) } };
        }),
      },
    },
  ],
  usage: { prompt_tokens: 120, completion_tokens: 8 },
});

export const sendJson = (response: ServerResponse, body: Json, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** Starts the server, which stops after the file's last test. */
export async function startModel(): Promise<ModelServer> {
  const calls: ModelCall[] = [];
  let reply: Reply = (_call, response) => sendJson(response, say('Hello'));
  const { url, close } = await openModel((call, response) => {
    calls.push(call);
    reply(call, response);
  });
  after(close);
  return { url, calls, answer: (next) => (reply = next) };
}

async function readBody(request: IncomingMessage): Promise<Json> {
  const content = await buffer(request);
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/')) return JSON.parse(content.toString());
  return Object.fromEntries(await new Response(content, { headers: { 'content-type': type } }).formData());
}

/** Starts the server for a caller who closes it. */
export async function openModel(reply: Reply): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    void readBody(request).then((body) => reply({ path: request.url ?? '', headers: request.headers, body }, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

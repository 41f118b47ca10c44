/** A server that understands the embeddings call of OpenAI. A test chooses its model, and can make it fail. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface EmbeddingCall {
  url: string;
  authorization: string | undefined;
  model: string;
  input: string[];
}

export interface EmbeddingServer {
  url: string;
  calls: EmbeddingCall[];
  /** The body of the next answers, or a status without a body; null answers as usual. */
  fault: string | number | null;
  close(): Promise<void>;
}

/** Returns the vector of a text. */
export type Model = (input: string) => number[];

/** Makes a model that knows which words mean the same: each number of a vector after the first stands for some words. */
export const makeMeanings =
  (...meanings: RegExp[]): Model =>
  (input) => [0.01, ...meanings.map((words) => (words.test(input) ? 2 : 0))];

export async function startEmbeddingServer(embed: Model): Promise<EmbeddingServer> {
  const calls: EmbeddingCall[] = [];
  const answer = async (request: IncomingMessage): Promise<string | number> => {
    const { model, input } = JSON.parse(await text(request)) as Pick<EmbeddingCall, 'model' | 'input'>;
    calls.push({ url: request.url ?? '', authorization: request.headers.authorization, model, input });
    if (server.fault !== null) return server.fault;
    const data = input.map((each, index) => ({ object: 'embedding', index, embedding: embed(each) }));
    // The order of the list is up to the endpoint.
    return JSON.stringify({ object: 'list', model, data: data.toReversed() });
  };
  const http = createServer((request, response) => {
    void answer(request).then((body) =>
      typeof body === 'number'
        ? response.writeHead(body).end()
        : response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    );
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const server: EmbeddingServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`,
    calls,
    fault: null,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  return server;
}

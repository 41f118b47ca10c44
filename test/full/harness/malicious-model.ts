/**
 * A model that tries to read, do and cost what its agent must not: it calls every function with every name and id that it has seen, far too
 * many functions at once, answers without end, redirects, lies about its tokens and writes links to a server of its own.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openModel, say, sendJson } from '../../support/model.ts';
import type { Json } from '../../support/platform.ts';
import type { Chance } from './chance.ts';

/** Functions that agents have, and some that none has. */
const FUNCTIONS = [
  'search_knowledge',
  'send_file',
  'read_fields',
  'write_field',
  'read_table',
  'move_step',
  'schedule_follow_up',
  'read_conversation',
  'send_message',
  'delete_contact',
  'http_get',
  'constructor',
];
const IDS = /[0-9a-f]{24,36}|[A-Z]\w{3,40}|[0-9A-HJKMNP-TV-Z]{26}/g;
const MOST_SEEN = 5_000;
const MANY = 200;
const CHUNK = Buffer.alloc(1024 * 1024, 'a');

export interface MaliciousModel {
  url: string;
  /** The address to which the model wants people and the platform to go. */
  trap: string;
  /** How many requests have come to that address. */
  trapped(): number;
  /** The bodies of all requests, as JSON. */
  asked: string[];
  /** The bytes of endless answers that were taken. */
  flooded(): number;
  close(): void;
}

/** `names` are names and ids that the model has learnt somewhere else. */
export async function startMaliciousModel(chance: Chance, names: () => string[]): Promise<MaliciousModel> {
  let trapped = 0;
  let flooded = 0;
  const asked: string[] = [];
  const seen = new Set<string>();
  const server = createServer((_request, response) => {
    trapped += 1;
    response.end('caught');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const trap = `http://127.0.0.1:${(server.address() as AddressInfo).port}/caught`;
  const makeCalls = (count: number): [string, Json][] => {
    const known = [...seen, ...names()];
    return Array.from({ length: count }, () => makeCall(chance, known, trap));
  };
  const behaviours: ((response: ServerResponse) => void)[] = [
    ...Array.from({ length: 6 }, () => (response: ServerResponse) => {
      sendJson(response, lie(chance, say(`Pay at ${trap}`, makeCalls(1 + chance.int(4)))));
    }),
    (response) => sendJson(response, lie(chance, say(`Pay at ${trap} or [here](${trap}), ${new URL(trap).host}`))),
    (response) => sendJson(response, say(null, makeCalls(MANY))),
    (response) => response.writeHead(307, { location: trap }).end(),
    (response) => void writeEndlessly(response, (bytes) => (flooded += bytes)),
  ];
  const model = await openModel(({ body }, response) => {
    const text = JSON.stringify(body);
    asked.push(text);
    for (const [name] of text.matchAll(IDS)) if (seen.size < MOST_SEEN) seen.add(name);
    chance.pick(behaviours)(response);
  });
  const close = (): void => {
    model.close();
    server.close();
  };
  return { url: model.url, trap, trapped: () => trapped, asked, flooded: () => flooded, close };
}

/** Three calls of four fit their function, and the others are anything. */
function makeCall(chance: Chance, names: string[], trap: string): [string, Json] {
  const pick = (): string => chance.pick(names);
  const fitting: Record<string, () => Json> = {
    search_knowledge: () => ({ query: `${pick()} secret vault` }),
    send_file: () => ({ name: pick() }),
    read_fields: () => ({}),
    write_field: () => ({ record: chance.pick(['contact', 'conversation']), field: pick(), value: pick() }),
    read_table: () => ({
      table: chance.pick(['orders', pick()]),
      search: chance.pick(['secret vault', 'cake', pick()]),
    }),
    move_step: () => ({ name: chance.pick(['Won', pick()]) }),
    schedule_follow_up: () => ({ minutes: 60, text: `Come to ${trap}` }),
  };
  const anything = { id: pick(), company: pick(), name: pick(), table: pick(), url: trap, value: 7 };
  const name = chance.pick(FUNCTIONS);
  return [name, chance.int(4) > 0 ? (fitting[name]?.() ?? anything) : anything];
}

/** Says that an answer has cost nothing, or more than there is. */
function lie(chance: Chance, answer: Json): Json {
  const tokens = chance.pick([0, -1, 9_999_999, 'many']);
  return { ...answer, usage: { prompt_tokens: tokens, completion_tokens: tokens } };
}

/** Answers with up to 300 MB. */
async function writeEndlessly(response: ServerResponse, count: (bytes: number) => void): Promise<void> {
  response.on('error', () => undefined);
  response.writeHead(200, { 'content-type': 'application/json' });
  for (let written = 0; written < 300 && !response.destroyed; written += 1) {
    if (!response.write(CHUNK)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    if (!response.destroyed) count(CHUNK.length);
  }
  response.end();
}

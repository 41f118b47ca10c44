/** Greedy requests that change and list records as large as allowed, and that search and export many records. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GreedyBehaviour, GreedyRun } from './play.ts';

const FIELDS = 200;
const ITEMS = 100;
const ITEM_LETTERS = 200;
const FAT = 15;
// The number of fields that one request sets: a body may have a megabyte and 10,000 values, so 40 fields at once, then fewer, until the
// record is full.
const STEPS = [40, 10, 1];
/** The number of contacts that one import inserts before the planner has statistics of them. */
const MANY = 29_000;

let fat: string[] = [];

/** Creates contacts as large as they may be. */
async function fillContacts(play: GreedyRun): Promise<void> {
  const fields = Array.from({ length: play.scaled(FIELDS) }, (_, n) => `f${n}`);
  await runConcurrently(fields, 10, (slug) =>
    createUntilAccepted(play, '/v1/custom-fields', { body: { title: slug, slug, context: 'contact', type: 'LIST' } }),
  );
  const value = Array.from({ length: ITEMS }, (_, n) => `${n} `.padEnd(ITEM_LETTERS, 'x'));
  fat = [];
  await runConcurrently(
    Array.from({ length: FAT }, (_, n) => n),
    3,
    async (n) => {
      const made = await createUntilAccepted(play, '/v1/contacts', { body: { name: `Fat ${n}` } });
      const { _id } = JSON.parse(made) as { _id: string };
      fat.push(_id);
      let from = 0;
      for (const step of STEPS) {
        for (let taken = true; taken && from < fields.length;) {
          const custom_fields = Object.fromEntries(fields.slice(from, from + step).map((slug) => [slug, value]));
          const answer = await play.ask(`/v1/contacts/${_id}`, { method: 'PATCH', body: { custom_fields } });
          taken = answer?.status === 200;
          if (taken) from += step;
        }
      }
    },
  );
}

async function runConcurrently<T>(items: T[], lanes: number, work: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = [...items];
  const lane = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Repeats a request until the record is created; an answer other than 429 and 503 ends the proof. */
async function createUntilAccepted(play: GreedyRun, path: string, asked: { body: unknown }): Promise<string> {
  for (;;) {
    const answer = await play.ask(path, asked);
    if (answer?.status === 201) return answer.text;
    if (answer && ![429, 503].includes(answer.status))
      throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  }
}

let sink: Server | null = null;

/** Starts a webhook receiver that accepts every delivery, and creates the webhook for it. */
async function createAcceptingWebhook(play: GreedyRun): Promise<void> {
  sink ??= createServer((request, response) => request.resume().on('end', () => response.writeHead(204).end()));
  await new Promise<void>((resolve) => sink?.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`;
  await createUntilAccepted(play, '/v1/webhooks', { body: { url, events: ['CONTACT_UPDATED'] } });
}

export const LARGE_RECORDS: GreedyBehaviour = {
  prepare: async (play) => {
    await fillContacts(play);
    await createAcceptingWebhook(play);
  },
  act: async (play) => {
    let turn = 0;
    await play.inLanes(6, async () => {
      turn += 1;
      const path = `/v1/contacts/${fat[turn % fat.length]}`;
      await play.ask(path, { method: 'PATCH', body: { name: `Fat ${turn}` } });
    });
    sink?.close();
  },
};

export const LARGE_LISTS: GreedyBehaviour = {
  prepare: fillContacts,
  act: (play) => play.inLanes(5, async () => void (await play.ask('/v1/contacts?limit=100'))),
};

export const EXPORTS: GreedyBehaviour = {
  people: MANY,
  act: (play) => play.inLanes(4, async () => void (await play.ask('/v1/contacts/export'))),
};

/** Sends searches that no index can answer, with the total number of matches. */
export const SEARCHES: GreedyBehaviour = {
  people: MANY,
  act: async (play) => {
    const item = (operator: string, value: string) => ({ field: 'contact.email', operator, value });
    const filters = Array.from({ length: 15 }, (_, n) => item('not_contains', `nobody-${n}`));
    const query = new URLSearchParams({ filters: JSON.stringify(filters), search: 'a', limit: '100' });
    await play.inLanes(8, async () => void (await play.ask(`/v1/contacts?${query.toString()}`)));
  },
};

/** Sends requests with six keys that all change the same record: that of their own company. */
export const OWN_PATCHES: GreedyBehaviour = {
  act: (play) =>
    play.inLanes(6 * 8, async (lane) => {
      const body = { description: `Lane ${lane}` };
      await play.ask(`/v1/companies/${play.company}`, { method: 'PATCH', body });
    }),
};

/** Greedy requests with records as large as allowed, changed and listed, and with many records, searched and exported. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Greed, Play } from './play.ts';

const FIELDS = 200;
const ITEMS = 100;
const ITEM_LETTERS = 200;
const FAT = 15;
// A body may have a megabyte and 10,000 values: it sets 40 fields at once, then fewer, until the record is full.
const STEPS = [40, 10, 1];
/** The number of contacts that one import brings, before the planner has statistics of them. */
const MANY = 29_000;

let fat: string[] = [];

/** Makes contacts as large as they may be. */
async function fillContacts(play: Play): Promise<void> {
  const fields = Array.from({ length: play.scaled(FIELDS) }, (_, n) => `f${n}`);
  await each(fields, 10, (slug) =>
    insist(play, '/v1/custom-fields', { body: { title: slug, slug, context: 'contact', type: 'LIST' } }),
  );
  const value = Array.from({ length: ITEMS }, (_, n) => `${n} `.padEnd(ITEM_LETTERS, 'x'));
  fat = [];
  await each(
    Array.from({ length: FAT }, (_, n) => n),
    3,
    async (n) => {
      const made = await insist(play, '/v1/contacts', { body: { name: `Fat ${n}` } });
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

async function each<T>(items: T[], lanes: number, work: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = [...items];
  const lane = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Repeats a request until the record is created; a refusal that does not pass ends the proof. */
async function insist(play: Play, path: string, asked: { body: unknown }): Promise<string> {
  for (;;) {
    const answer = await play.ask(path, asked);
    if (answer?.status === 201) return answer.text;
    if (answer && ![429, 503].includes(answer.status))
      throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  }
}

let sink: Server | null = null;

/** Starts a receiver that accepts everything. */
async function listenToAll(play: Play): Promise<void> {
  sink ??= createServer((request, response) => request.resume().on('end', () => response.writeHead(204).end()));
  await new Promise<void>((resolve) => sink?.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`;
  await insist(play, '/v1/webhooks', { body: { url, events: ['CONTACT_UPDATED'] } });
}

export const fatRecords: Greed = {
  prepare: async (play) => {
    await fillContacts(play);
    await listenToAll(play);
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

export const fatLists: Greed = {
  prepare: fillContacts,
  act: (play) => play.inLanes(5, async () => void (await play.ask('/v1/contacts?limit=100'))),
};

export const exports: Greed = {
  people: MANY,
  act: (play) => play.inLanes(4, async () => void (await play.ask('/v1/contacts/export'))),
};

/** Searches that no index can answer, with their totals. */
export const searches: Greed = {
  people: MANY,
  act: async (play) => {
    const item = (operator: string, value: string) => ({ field: 'contact.email', operator, value });
    const filters = Array.from({ length: 15 }, (_, n) => item('not_contains', `nobody-${n}`));
    const query = new URLSearchParams({ filters: JSON.stringify(filters), search: 'a', limit: '100' });
    await play.inLanes(8, async () => void (await play.ask(`/v1/contacts?${query.toString()}`)));
  },
};

/** Requests by six keys that change the same record, that of their own company. */
export const ownPatches: Greed = {
  act: (play) =>
    play.inLanes(6 * 8, async (lane) => {
      const body = { description: `Lane ${lane}` };
      await play.ask(`/v1/companies/${play.company}`, { method: 'PATCH', body });
    }),
};

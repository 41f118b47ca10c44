/**
 * A page that follows the live stream of a company while its connection breaks again and again. Each time the page is away for a second to an
 * hour of virtual time: what the database has noted, and the page's cursor, are made older by so much. Processes are killed right after a
 * change, before they have announced it, and one transaction is held open meanwhile. In the end the page has what the API answers.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { purgeChanges } from '../../../src/features/live/upkeep.ts';
import { openLive, type LiveClient } from '../../support/live.ts';
import type { Json } from '../../support/platform.ts';
import { createChance, type Chance } from '../harness/chance.ts';
import { buildNotification, buildTextElement, createNetwork, type SimulatedNetwork } from '../harness/network.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { callUntilAccepted, createInbox, withStage, type Stage, type Tenant } from '../harness/stage.ts';

export interface LiveSize {
  disconnects: number;
  /** How many processes are killed between the commit of a change and its announcement. */
  kills: number;
  /** How long one transaction stays open while the others go on. */
  heldMs: number;
  seed: number;
}

export interface LiveResult {
  disconnects: number;
  changes: number;
  kills: number;
  /** The longest time until a change arrived that nobody had announced. */
  slowestMs: number;
  resets: number;
  records: number;
}

const PHONE = '100000000000300';
const PEOPLE = 20;
// Below this number of contacts none is removed.
const LEAST = 5;
const MOST_SECONDS = 3_600;

const LISTS = { contact: 'contacts', conversation: 'conversations', message: 'messages' } as const;
type Kind = keyof typeof LISTS;
const KINDS = Object.keys(LISTS) as Kind[];

/** The records that the page shows. */
type Kept = Record<Kind, Map<string, Json>>;

interface Scene {
  stage: Stage;
  chance: Chance;
  tenant: Tenant;
  network: SimulatedNetwork;
  processes: PlatformProcess[];
  kept: Kept;
  cursor: string | undefined;
  /** The contact that an open transaction has changed. */
  held: string;
  result: LiveResult;
  /** The process that gets the next request; by default any that lives. */
  through?: PlatformProcess;
}

export async function proveLive(size: LiveSize): Promise<LiveResult> {
  return withStage({}, async (stage) => {
    const processes = [await stage.start('api'), await stage.start('api')];
    const tenant = await stage.createTenant('Watched');
    const network = createNetwork(stage.appSecret);
    const result = { disconnects: 0, changes: 0, kills: 0, slowestMs: 0, resets: 0, records: 0 };
    const kept = { contact: new Map(), conversation: new Map(), message: new Map() };
    const chance = createChance(size.seed);
    const scene: Scene = { stage, chance, tenant, network, processes, kept, cursor: undefined, held: '', result };
    try {
      await createInbox(chance.pick(processes), tenant, PHONE);
      await playRounds(scene, size);
    } finally {
      await network.close();
    }
    // A reset is for absences that were too long; otherwise each stream has gone on where the page left it.
    assert.ok(4 * result.resets <= size.disconnects, `${result.resets} resets`);
    result.slowestMs = Math.round(result.slowestMs);
    return result;
  });
}

async function playRounds(scene: Scene, { disconnects, kills, heldMs }: LiveSize): Promise<void> {
  // A company that is watched for the first time while a transaction is open would get a reset at each stream until that has ended.
  await follow(scene, () => changeSomething(scene));
  const release = await holdTransaction(scene);
  const endMs = performance.now() + heldMs;
  try {
    await breakOften(scene, disconnects, kills);
    await sleep(Math.max(0, endMs - performance.now()));
  } finally {
    await release();
  }
  await follow(scene, () => Promise.resolve());
  for (const kind of KINDS) {
    const expected = new Map((await listAll(scene, kind)).map((record) => [record._id, record]));
    scene.result.records += expected.size;
    assert.deepEqual(sortById(scene.kept[kind]), sortById(expected), `${kind}s`);
  }
}

async function breakOften(scene: Scene, disconnects: number, kills: number): Promise<void> {
  const { chance, result } = scene;
  const rounds = Array.from({ length: disconnects }, (_, round) => round);
  const killed = new Set(chance.shuffle(rounds).slice(0, kills));
  for (const round of rounds) {
    await watchAndBreak(scene);
    await beAway(scene);
    if (killed.has(round)) await killBeforeNotice(scene);
    result.disconnects += 1;
  }
}

const sortById = (records: Map<string, Json>): Json[] =>
  [...records.values()].toSorted((a: Json, b: Json) => (a._id < b._id ? -1 : 1));

/** Changes a contact in a transaction. The returned function commits it. */
async function holdTransaction(scene: Scene): Promise<() => Promise<void>> {
  scene.held = (await write(scene, 'POST', 'contacts', { name: 'Before' }))._id;
  const client = new pg.Client({ connectionString: scene.stage.store.ownerUrl });
  await client.connect();
  await client.query('begin');
  await client.query(`update contacts set name = 'Held' where _id = $1`, [scene.held]);
  return async () => {
    await client.query('commit');
    await client.end();
  };
}

/** Opens the stream where the page left it, and breaks it at some moment, perhaps before the changes have arrived. */
function watchAndBreak(scene: Scene): Promise<void> {
  const { chance } = scene;
  return follow(scene, async () => {
    for (let left = chance.int(4); left > 0; left -= 1) await changeSomething(scene);
    if (chance.int(2) === 0) await sleep(chance.int(60));
  });
}

/** Opens the stream, does something, closes the stream, and shows what has arrived as the guide tells a page to do. */
async function follow(
  scene: Scene,
  act: (live: LiveClient) => Promise<void>,
  process = pickLiving(scene),
): Promise<void> {
  const { tenant, cursor: after, kept } = scene;
  const platform = { url: process.url, demo: tenant };
  const live = await openLive(platform, after === undefined ? {} : { after });
  await act(live);
  await live.close();
  // The first stream has told nothing of what was there before.
  const unread = new Set<Kind>(after === undefined ? KINDS : []);
  for (const { event, data } of live.events) {
    if (event === 'removed') remove(kept, data);
    else if (event === 'reset') for (const kind of KINDS) if (data.events.includes(kind)) unread.add(kind);
    if (event in LISTS) kept[event as Kind].set(data._id, data);
    if (event === 'contact') summarize(kept, data);
  }
  scene.cursor = live.cursor();
  if (after !== undefined && unread.size > 0) scene.result.resets += 1;
  for (const kind of unread) kept[kind] = new Map((await listAll(scene, kind)).map((record) => [record._id, record]));
}

function remove(kept: Kept, { event, _id }: { event: 'contact' | 'conversation'; _id: string }): void {
  kept[event].delete(_id);
  if (event !== 'conversation') return;
  for (const message of kept.message.values())
    if (message.conversation === _id) kept.message.delete(message._id as string);
}

/** A change of a contact is no change of its conversations and messages, so the page renews who their contact is by itself. */
function summarize(kept: Kept, { _id, name, phone_number, email }: Json): void {
  for (const record of [...kept.conversation.values(), ...kept.message.values()])
    if (record.contact === _id) record.contact_summary = { name, phone_number, email };
}

/** Lets a second to an hour pass, in which others change something. Upkeep then deletes what nobody can need any more. */
async function beAway(scene: Scene): Promise<void> {
  const { stage, chance } = scene;
  const seconds = Math.round(MOST_SECONDS ** (chance.int(1_001) / 1_000));
  for (let left = chance.int(3); left > 0; left -= 1) await changeSomething(scene);
  await stage.store.sql('update record_changes set changed_at = changed_at - make_interval(secs => $1)', [seconds]);
  await stage.store.sql('update live_companies set noted_until = noted_until - make_interval(secs => $1)', [seconds]);
  const [writtenAt = '', snapshot = ''] = scene.cursor?.split(/\.(.*)/) ?? [];
  scene.cursor = `${Number(writtenAt) - seconds}.${snapshot}`;
  await purgeChanges(stage);
  if (chance.int(2) === 0) await changeSomething(scene);
}

/** Kills a process as soon as it has answered a change, while the page watches in the other process. */
async function killBeforeNotice(scene: Scene): Promise<void> {
  const { stage, chance, processes, result } = scene;
  const [victim, other] = chance.shuffle(processes) as [PlatformProcess, PlatformProcess];
  const name = `Killed ${result.kills}`;
  const watch = async (live: LiveClient): Promise<void> => {
    // The process announces a change some milliseconds after its commit. It may not do so here, however late it is killed.
    await stage.store.sql('revoke execute on function pg_notify from public');
    await write({ ...scene, through: victim }, 'PATCH', `contacts/${await pickId(scene, 'contacts')}`, { name });
    const committedMs = performance.now();
    await victim.kill();
    await stage.store.sql('grant execute on function pg_notify to public');
    await live.waitFor('contact', (data) => data.name === name);
    result.slowestMs = Math.max(result.slowestMs, performance.now() - committedMs);
  };
  await follow(scene, watch, other);
  await victim.restart();
  result.kills += 1;
}

/** Makes one change through one of the processes. */
async function changeSomething(scene: Scene): Promise<void> {
  const { chance, stage, network, result } = scene;
  const number = (result.changes += 1);
  const from = `55119820000${String(chance.int(PEOPLE)).padStart(2, '0')}`;
  const message = buildNotification([buildTextElement(PHONE, from, `wamid.live.${number}`, `Text ${number}`)]);
  const receive = (): Promise<unknown> => network.postUntilHeard(pickLiving(scene).url, message);
  const contacts = await stage.store.sql('select 1 from contacts');
  const conversation = await pickId(scene, 'conversations');
  if (conversation === '' || contacts.length < LEAST) await receive();
  else
    await chance.pick([
      receive,
      receive,
      async () => write(scene, 'PATCH', `contacts/${await pickId(scene, 'contacts')}`, { name: `Ana ${number}` }),
      () => write(scene, 'PATCH', `conversations/${conversation}`, { tags: [`t${number}`] }),
      () => write(scene, 'POST', 'messages/note', { conversationId: conversation, message: { content: `${number}` } }),
      () => write(scene, 'POST', 'contacts', { name: `Bia ${number}` }),
      async () => write(scene, 'DELETE', `contacts/${await pickId(scene, 'contacts')}`),
    ])();
}

/** Returns the id of a record, but not that of the held contact; empty when there is none. */
async function pickId({ stage, chance, held }: Scene, table: string): Promise<string> {
  const rows = await stage.store.sql<{ _id: string }>(`select _id from ${table} where _id <> $1 order by _id`, [held]);
  return rows.length > 0 ? chance.pick(rows)._id : '';
}

const pickLiving = ({ chance, processes }: Scene): PlatformProcess =>
  chance.pick(processes.filter(({ alive }) => alive));

const STATUSES: Record<string, number> = { POST: 201 };

/** Calls the API through one of the processes, or through that of `scene.through`. */
const write = (scene: Scene, method: string, path: string, body?: Json): Promise<Json> => {
  const process = scene.through ?? pickLiving(scene);
  const { key } = scene.tenant;
  return callUntilAccepted(STATUSES[method] ?? 200, method, `${process.url}/v1/${path}`, { key, body });
};

async function listAll(scene: Scene, kind: Kind): Promise<Json[]> {
  const { key } = scene.tenant;
  const records: Json[] = [];
  for (let after: string | null = ''; after !== null;) {
    const query: string = new URLSearchParams({ limit: '100', skipCount: 'true', ...(after && { after }) }).toString();
    const page = await callUntilAccepted(200, 'GET', `${pickLiving(scene).url}/v1/${LISTS[kind]}?${query}`, {
      key,
    });
    records.push(...(page.result as Json[]));
    after = page.meta.nextCursor as string | null;
  }
  return records;
}

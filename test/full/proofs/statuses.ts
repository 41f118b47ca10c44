/**
 * Statuses in random order and with repetitions. Each message gets its statuses one after the other, in rounds; each round is posted to two
 * processes in
 * shuffled batches. So the right final status of each message is known, and this file computes it by its own rule.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createChance, type Chance } from '../harness/chance.ts';
import {
  createNetwork,
  inLanes,
  buildNotification,
  statusElement,
  textElement,
  type Network,
} from '../harness/network.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { call, callUntilTaken, listen, onStage, openInbox, type Stage } from '../harness/stage.ts';

export interface StatusesSize {
  messages: number;
  statuses: number;
  seed: number;
}

export interface StatusesAccount {
  messages: number;
  statuses: number;
  read: number;
  delivered: number;
  sent: number;
  failed: number;
  events: number;
}

const PROCESSES = 2;
const CONVERSATIONS = 20;
const MOST_PER_POST = 50;
const LANES = 8;
const PHONE = '100000000000100';
const EVENTS = ['MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_READ', 'MESSAGE_FAILED'];
type Word = 'sent' | 'delivered' | 'read' | 'failed';

interface Tale {
  _id: string;
  externalId: string;
  words: Word[];
}

export async function proveStatuses(size: StatusesSize): Promise<StatusesAccount> {
  return onStage({}, async (stage) => {
    const chance = createChance(size.seed);
    const network = createNetwork(stage.appSecret);
    try {
      const processes = await Promise.all(Array.from({ length: PROCESSES }, () => stage.start('api')));
      const telling = { processes, network, chance };
      const tales = await sendMessages(stage, telling, size);
      for (let round = 0; round < (tales[0]?.words.length ?? 0); round += 1) await tellRound(tales, round, telling);
      return await audit(stage, tales);
    } finally {
      await network.close();
    }
  });
}

async function sendMessages(
  stage: Stage,
  { processes, network, chance }: Telling,
  size: StatusesSize,
): Promise<Tale[]> {
  const api = processes[0] as PlatformProcess;
  const silence = { status_delays_ms: { sent: null, delivered: null, read: null } };
  await call(200, 'PUT', `${stage.sandboxUrl}/sandbox/settings`, { body: silence });
  const tenant = await stage.createTenant('Sender');
  await openInbox(api, tenant, PHONE);
  await listen(api, tenant, 'http://127.0.0.1:9/', EVENTS);
  const people = Array.from({ length: CONVERSATIONS }, (_, n) =>
    textElement(PHONE, `55119800000${String(n).padStart(2, '0')}`, `wamid.in.${n}`, 'Hello'),
  );
  await network.postUntilHeard(api.url, buildNotification(people));
  const conversations = await stage.store.sql<{ _id: string }>('select _id from conversations order by _id');
  const rounds = Math.round(size.statuses / size.messages);
  const tales: Tale[] = [];
  await inLanes(LANES, Array.from({ length: size.messages }).keys(), async (number) => {
    const url = `${processes[number % PROCESSES]?.url}/v1/messages/send-text`;
    const conversationId = conversations[number % CONVERSATIONS]?._id;
    const message = { content: `Message ${number}`, contentType: 'TEXT' };
    const sent = await callUntilTaken(201, 'POST', url, { key: tenant.key, body: { conversationId, message } });
    tales.push({ _id: sent._id, externalId: sent.external_id, words: wordsFor(rounds, chance) });
  });
  return tales;
}

/** One message in four has a failure among its statuses; their order is random. */
function wordsFor(rounds: number, chance: Chance): Word[] {
  const choice: Word[] = chance.int(4) === 0 ? ['sent', 'delivered', 'failed'] : ['sent', 'delivered', 'read'];
  const known = choice.slice(0, 1 + chance.int(3));
  return Array.from({ length: rounds }, () => chance.pick(chance.int(4) === 0 ? choice : known));
}

interface Telling {
  processes: PlatformProcess[];
  network: Network;
  chance: Chance;
}

async function tellRound(tales: Tale[], round: number, { processes, network, chance }: Telling): Promise<void> {
  const shuffled = chance.shuffle(tales);
  const posts: string[] = [];
  for (let at = 0; at < shuffled.length;) {
    const batch = shuffled.slice(at, at + 1 + chance.int(MOST_PER_POST));
    at += batch.length;
    const elements = batch.flatMap(({ externalId, words }) => {
      const element = statusElement(PHONE, externalId, words[round] ?? 'sent');
      // The network sometimes repeats a status within one callback.
      return chance.int(5) === 0 ? [element, element] : [element];
    });
    posts.push(buildNotification(elements));
  }
  await inLanes(LANES, posts, async (body) => {
    for (let status = 0 as number | null; status !== 200;) {
      status = await network.post(chance.pick(processes).url, body);
      assert.ok(status === 200 || status === 503, `statuses were answered ${status}`);
      if (status === 503) await sleep(50);
    }
  });
}

interface Expected {
  status: string;
  events: string[];
  told: Set<Word>;
}

/** The expected status and events, computed from the statuses in their order. */
function foldStatuses(words: Word[]): Expected {
  const expected: Expected = { status: 'SENT', events: ['MESSAGE_SENT'], told: new Set() };
  for (const word of words) {
    const { status } = expected;
    if (status === 'FAILED') continue;
    if (word !== 'failed') expected.told.add(word);
    const rises =
      (word === 'failed' && status === 'SENT') ||
      (word === 'delivered' && status === 'SENT') ||
      (word === 'read' && (status === 'SENT' || status === 'DELIVERED'));
    if (!rises) continue;
    expected.status = word.toUpperCase();
    expected.events.push(`MESSAGE_${expected.status}`);
  }
  return expected;
}

interface Row {
  _id: string;
  status: string;
  sent_at: string | null;
  delivered_at: string | null;
  read_at: string | null;
  failed_at: string | null;
  events: string[];
}

async function audit({ store }: Stage, tales: Tale[]): Promise<StatusesAccount> {
  const rows = await store.sql<Row>(
    `select m._id, m.status, m.sent_at, m.delivered_at, m.read_at, m.failed_at, coalesce(told.events, '{}') as events
      from messages m left join (select company_id, resource_id, array_agg(event order by seq) as events
        from deliveries group by 1, 2) told on told.company_id = m.company_id and told.resource_id = m._id
      where m.message_type = 'OUTGOING'`,
  );
  const byId = new Map(rows.map((row) => [row._id, row]));
  assert.equal(rows.length, tales.length);
  const count: Record<string, number> = {};
  for (const { _id, words } of tales) {
    const row = byId.get(_id) as Row;
    const { status, events, told } = foldStatuses(words);
    assert.deepEqual([row.status, row.events], [status, events], `${_id} heard ${words.join(', ')}`);
    for (const word of ['sent', 'delivered', 'read'] as const) {
      assert.equal(row[`${word}_at`] !== null, told.has(word), `${word}_at of ${_id}, which heard ${words.join(', ')}`);
    }
    assert.equal(row.failed_at !== null, status === 'FAILED');
    count[status] = (count[status] ?? 0) + 1;
  }
  const { READ: read = 0, DELIVERED: delivered = 0, SENT: sent = 0, FAILED: failed = 0 } = count;
  const statuses = tales.reduce((sum, { words }) => sum + words.length, 0);
  const events = rows.reduce((sum, row) => sum + row.events.length, 0);
  return { messages: tales.length, statuses, read, delivered, sent, failed, events };
}

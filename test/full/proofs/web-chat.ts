/**
 * Proves that a web chat loses and doubles nothing while its processes are killed. Each message of a visitor is posted one to five times to
 * random processes, until one answers; then the company answers in each chat, and receipts arrive in random order, again and again.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertWorkWasInterrupted } from '../harness/blows.ts';
import { createChance, type Chance } from '../harness/chance.ts';
import { runConcurrently } from '../harness/network.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { callUntilAccepted, createWebhook, withStage, type Stage, type Tenant } from '../harness/stage.ts';
import type { Json } from '../../support/platform.ts';

export interface WebChatSize {
  processes: number;
  visitors: number;
  /** The messages of each visitor, and the answers that each gets. */
  each: number;
  kills: number;
  /** The receipts of each visitor. */
  receipts: number;
  seed: number;
}

export interface WebChatResult {
  messages: number;
  posts: number;
  repeatedPosts: number;
  receipts: number;
}

const LANES = 12;
const MOST_COPIES = 5;
const REPEAT_MS = 40;

interface Visitor {
  token: string;
  clientIds: string[];
  /** The ids of the company's answers, the oldest first. */
  answers: string[];
  delivered: number;
  read: number;
}

interface Run {
  stage: Stage;
  tenant: Tenant;
  inbox: string;
  processes: PlatformProcess[];
  chance: Chance;
  visitors: Visitor[];
  posts: number;
  repeatedPosts: number;
}

export async function proveWebChat(size: WebChatSize): Promise<WebChatResult> {
  return withStage({}, async (stage) => {
    const run = await openChats(stage, size);
    await writeAll(run, size);
    await answerAll(run, size);
    await reportAll(run, size);
    await checkStore(run, size);
    for (const process of run.processes) assert.ok(process.alive, `ended by itself: ${process.lines().join('\n')}`);
    assertWorkWasInterrupted('a post', { blows: size.kills, met: run.repeatedPosts });
    const { posts, repeatedPosts } = run;
    return { messages: size.visitors * size.each, posts, repeatedPosts, receipts: size.visitors * size.receipts };
  });
}

async function openChats(stage: Stage, { processes: count, visitors: people, each, seed }: WebChatSize): Promise<Run> {
  const chance = createChance(seed);
  const processes = await Promise.all(
    Array.from({ length: count }, () => stage.start('api', { RATE_LIMIT_WEB_CHAT: '1000000' })),
  );
  const { url } = processes[0] as PlatformProcess;
  const tenant = await stage.createTenant('Shop');
  const body = { channel: 'WEB_V2', name: 'Shop' };
  const { _id: inbox } = await callUntilAccepted(201, 'POST', `${url}/v1/inboxes`, { key: tenant.key, body });
  // No server listens at this address and no worker runs, because only the enqueued deliveries are counted.
  await createWebhook(processes[0] as PlatformProcess, tenant, 'http://127.0.0.1:9/', [
    'MESSAGE_RECEIVED',
    'MESSAGE_SENT',
    'MESSAGE_DELIVERED',
    'MESSAGE_READ',
    'CONTACT_CREATED',
  ]);
  const visitors: Visitor[] = [];
  for (let number = 0; number < people; number += 1) {
    const { token } = await callUntilAccepted(201, 'POST', `${url}/web/v1/inboxes/${inbox}/session`, { body: {} });
    const clientIds = Array.from({ length: each }, (_, place) => makeUuid(seed, number, place));
    visitors.push({ token, clientIds, answers: [], delivered: -1, read: -1 });
  }
  return { stage, tenant, inbox, processes, chance, visitors, posts: 0, repeatedPosts: 0 };
}

const makeUuid = (seed: number, visitor: number, place: number): string =>
  `${seed.toString(16).padStart(8, '0')}-0000-4000-8000-${visitor.toString(16).padStart(6, '0')}${place.toString(16).padStart(6, '0')}`;

async function writeAll(run: Run, { kills }: WebChatSize): Promise<void> {
  const { chance, processes, visitors } = run;
  const copies = visitors.flatMap((visitor) =>
    visitor.clientIds.flatMap((clientId) =>
      Array.from({ length: 1 + chance.int(MOST_COPIES) }, () => ({ visitor, clientId })),
    ),
  );
  const plan = chance.shuffle(copies);
  const slice = Math.floor(plan.length / Math.max(1, kills));
  const moments = new Set(Array.from({ length: kills }, (_, index) => index * slice + chance.int(slice)));
  let mending: Promise<void> = Promise.resolve();
  await runConcurrently(LANES, plan.entries(), async ([index, { visitor, clientId }]) => {
    if (moments.has(index)) {
      const before = mending;
      mending = before.then(() => killAndRestart(chance.pick(processes)));
      // A failure of the restart is reported where this promise is awaited.
      mending.catch(() => undefined);
      await before;
    }
    await postUntilStored(run, visitor, '/messages', { client_id: clientId, content: `Text ${clientId}` });
  });
  await mending;
}

async function killAndRestart(process: PlatformProcess): Promise<void> {
  await process.kill();
  await process.restart();
}

/** Posts to a random process, again until one has answered, as a page does. */
async function postUntilStored(run: Run, { token }: Visitor, path: string, body: object): Promise<Json> {
  for (;;) {
    run.posts += 1;
    const { url } = run.chance.pick(run.processes);
    const response = await fetch(`${url}/web/v1/inboxes/${run.inbox}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).catch(() => null);
    // Failure policy: an answer that breaks off counts as none, and the post is repeated.
    const answer = (await response?.json().catch(() => null)) as Json;
    if (response?.ok && answer) return answer;
    assert.ok(!response || answer === null || [429, 503].includes(response.status), `answered ${response?.status}`);
    run.repeatedPosts += 1;
    await sleep(REPEAT_MS);
  }
}

/** The company answers each visitor as often as the visitor has written. */
async function answerAll({ processes, tenant, stage, visitors, chance }: Run, { each }: WebChatSize): Promise<void> {
  const rows = await stage.store.sql<{ conversation: string; external_id: string }>(
    'select conversation_id as conversation, external_id from messages',
  );
  const byClientId = new Map(rows.map((row) => [row.external_id.split(':')[1], row.conversation]));
  await runConcurrently(LANES, visitors, async (visitor) => {
    const conversationId = byClientId.get(visitor.clientIds[0]);
    for (let place = 0; place < each; place += 1) {
      const body = { conversationId, message: { content: `Answer ${place}` } };
      const url = `${chance.pick(processes).url}/v1/messages/send-text`;
      visitor.answers.push((await callUntilAccepted(201, 'POST', url, { key: tenant.key, body }))._id);
    }
  });
}

async function reportAll(run: Run, { receipts }: WebChatSize): Promise<void> {
  const { chance, visitors } = run;
  const plan = chance.shuffle(visitors.flatMap((visitor) => Array.from({ length: receipts }, () => visitor)));
  await runConcurrently(LANES, plan, async (visitor) => {
    const place = chance.int(visitor.answers.length);
    const kind = chance.pick(['delivered', 'read'] as const);
    visitor[kind] = Math.max(visitor[kind], place);
    await postUntilStored(run, visitor, '/receipts', { [`${kind}_to`]: visitor.answers[place] });
  });
}

interface Facts extends Record<string, unknown> {
  incoming: number;
  wrong_incoming: number;
  contacts: number;
  wrong_contacts: number;
  wrong_outgoing: number;
}

// Each figure whose name begins with wrong_ counts records that break the guarantee.
const FACTS = `
  with told as (select event, resource_id, count(*) as times from deliveries group by 1, 2)
  select
    (select count(*) from messages where message_type = 'INCOMING')::int as incoming,
    (select count(*) from messages m left join told t on t.event = 'MESSAGE_RECEIVED' and t.resource_id = m._id
      where m.message_type = 'INCOMING' and t.times is distinct from 1)::int as wrong_incoming,
    (select count(*) from contacts)::int as contacts,
    (select count(*) from contacts c left join told t on t.event = 'CONTACT_CREATED' and t.resource_id = c._id
      where t.times is distinct from 1)::int as wrong_contacts,
    (select count(*) from messages m where m.message_type = 'OUTGOING' and (
      (select count(*) from told t where t.resource_id = m._id and t.event = 'MESSAGE_SENT' and t.times = 1) <> 1
      or exists (select from told t where t.resource_id = m._id and t.times > 1)
      or (m.status = 'READ') <> exists (select from told t where t.resource_id = m._id and t.event = 'MESSAGE_READ')))::int as wrong_outgoing`;

async function checkStore({ stage, visitors, processes, inbox }: Run, size: WebChatSize): Promise<void> {
  const [facts] = await stage.store.sql<Facts>(FACTS);
  assert.deepEqual(facts, {
    incoming: size.visitors * size.each,
    wrong_incoming: 0,
    contacts: size.visitors,
    wrong_contacts: 0,
    wrong_outgoing: 0,
  });
  const { url } = processes[0] as PlatformProcess;
  await runConcurrently(LANES, visitors, async ({ token, clientIds, answers, delivered, read }) => {
    const address = `${url}/web/v1/inboxes/${inbox}/messages?limit=100`;
    const { result } = await callUntilAccepted(200, 'GET', address, { key: token });
    const own = result.flatMap(({ client_id }: Json) => client_id ?? []);
    assert.deepEqual(own.toSorted(), clientIds.toSorted(), 'a visitor reads each of their messages once');
    const statuses = new Map<string, string>(result.map(({ _id, status }: Json) => [_id, status]));
    for (const [place, id] of answers.entries()) {
      const expected = place <= read ? 'READ' : place <= delivered ? 'DELIVERED' : 'SENT';
      assert.equal(statuses.get(id), expected, `answer ${place}, delivered to ${delivered}, read to ${read}`);
    }
  });
}

/**
 * Posts statuses in random order and with repetitions. Each message gets its statuses one after the other, in rounds; each round is posted
 * to two processes in shuffled batches. So the right final status of each message is known, and this file computes it by its own rule.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createChance, type Chance } from '../harness/chance.ts';
import { createNetwork, runConcurrently, type SimulatedNetwork } from '../harness/network.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { callUntilAccepted, createWebhook, withStage, type Stage } from '../harness/stage.ts';
import { WIRES, type Door, type ReportedStatus, type TellingPost, type Wire, type WireName } from '../harness/wires.ts';

export interface StatusesSize {
  /** The channel whose network reports; the Cloud API by default. */
  channel?: WireName;
  messages: number;
  statuses: number;
  seed: number;
}

export interface StatusesResult {
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
const EVENTS = ['MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_READ', 'MESSAGE_FAILED'];
interface SentMessage {
  _id: string;
  externalId: string;
  reports: ReportedStatus[];
}

export async function proveStatuses(size: StatusesSize): Promise<StatusesResult> {
  return withStage({}, async (stage) => {
    const chance = createChance(size.seed);
    const network = createNetwork(stage.appSecret);
    const wire = await WIRES[size.channel ?? 'WAP_AUTO_CLOSER'](stage);
    try {
      const processes = await Promise.all(Array.from({ length: PROCESSES }, () => stage.start('api', wire.env)));
      const tenant = await stage.createTenant('Sender');
      const door = await wire.open(tenant, processes[0] as PlatformProcess);
      const senders = { processes, network, chance, wire, door, key: tenant.key };
      await createWebhook(processes[0] as PlatformProcess, tenant, 'http://127.0.0.1:9/', EVENTS);
      const messages = await sendMessages(stage, senders, size);
      for (let round = 0; round < (messages[0]?.reports.length ?? 0); round += 1)
        await postRound(messages, round, senders);
      return await compareWithExpected(stage, messages, wire);
    } finally {
      await network.close();
      await wire.close();
    }
  });
}

async function sendMessages(stage: Stage, senders: StatusSenders, size: StatusesSize): Promise<SentMessage[]> {
  const { processes, chance, wire, door, key } = senders;
  const people = Array.from({ length: CONVERSATIONS }, (_, person) => {
    return { door, person, id: `in.${person}@network.example`, isOther: false, text: 'Hello' };
  });
  for (const { person } of people) await wire.introduce?.(person);
  for (const post of wire.tellTexts(people)) await postUntilHeard(senders, post);
  const conversations = await stage.store.sql<{ _id: string }>('select _id from conversations order by _id');
  const rounds = Math.round(size.statuses / size.messages);
  const messages: SentMessage[] = [];
  await runConcurrently(wire.sendsAtOnce ?? LANES, Array.from({ length: size.messages }).keys(), async (number) => {
    // The network bears what it has seen, and forgets it at once.
    if (wire.sendsAtOnce !== null) await stage.store.sql('delete from send_paces');
    const url = `${processes[number % PROCESSES]?.url}/v1/messages/send-text`;
    const conversationId = conversations[number % CONVERSATIONS]?._id;
    const message = { content: `Message ${number}`, contentType: 'TEXT' };
    const sent = await callUntilAccepted(201, 'POST', url, { key, body: { conversationId, message } });
    assert.equal(sent.status, 'SENT', JSON.stringify(sent.errors));
    messages.push({ _id: sent._id, externalId: sent.external_id, reports: drawReports(rounds, wire, chance) });
  });
  return messages;
}

/** Draws the statuses of one message, in random order; one message in four has a failure among them. */
function drawReports(rounds: number, { statuses }: Wire, chance: Chance): ReportedStatus[] {
  const left = chance.int(4) === 0 ? 'read' : 'failed';
  const choice = statuses.filter((status) => status !== left);
  const known = choice.slice(0, 1 + chance.int(choice.length));
  return Array.from({ length: rounds }, () => chance.pick(chance.int(4) === 0 ? choice : known));
}

interface StatusSenders {
  processes: PlatformProcess[];
  network: SimulatedNetwork;
  chance: Chance;
  wire: Wire;
  door: Door;
  key: string;
}

async function postRound(messages: SentMessage[], round: number, senders: StatusSenders): Promise<void> {
  const { chance, wire, door } = senders;
  const shuffled = chance.shuffle(messages);
  const posts: TellingPost[] = [];
  for (let at = 0; at < shuffled.length;) {
    const batch = shuffled.slice(at, at + 1 + chance.int(MOST_PER_POST));
    at += batch.length;
    const news = batch.flatMap(({ externalId: id, reports }) => {
      const status = reports[round];
      if (!status) return [];
      // The network sometimes repeats a status within one callback.
      return chance.int(5) === 0
        ? [
            { id, status },
            { id, status },
          ]
        : [{ id, status }];
    });
    posts.push(...(wire.tellStatuses?.(door, news) ?? []));
  }
  await runConcurrently(LANES, posts, (post) => postUntilHeard(senders, post));
}

async function postUntilHeard({ processes, network, chance }: StatusSenders, post: TellingPost): Promise<void> {
  for (let status = 0 as number | null; status !== 200;) {
    status = await network.send(chance.pick(processes).url, post);
    assert.ok(status === 200 || status === 503, `a callback was answered ${status}`);
    if (status === 503) await sleep(50);
  }
}

interface ExpectedStatus {
  status: string;
  events: string[];
  reported: Set<ReportedStatus>;
}

/** Computes the expected status and events of a message from its statuses in their order. */
function foldStatuses(reports: ReportedStatus[], { reportsFailures }: Wire): ExpectedStatus {
  const expected: ExpectedStatus = { status: 'SENT', events: ['MESSAGE_SENT'], reported: new Set() };
  for (const report of reports) {
    const { status } = expected;
    if (status === 'FAILED') continue;
    if (report !== 'failed') expected.reported.add(report);
    const rises =
      (report === 'failed' && status === 'SENT') ||
      (report === 'delivered' && status === 'SENT') ||
      (report === 'read' && (status === 'SENT' || status === 'DELIVERED'));
    if (!rises) continue;
    expected.status = report.toUpperCase();
    if (report !== 'failed' || reportsFailures) expected.events.push(`MESSAGE_${expected.status}`);
  }
  return expected;
}

interface StoredStatus {
  _id: string;
  status: string;
  sent_at: string | null;
  delivered_at: string | null;
  read_at: string | null;
  failed_at: string | null;
  events: string[];
}

async function compareWithExpected({ store }: Stage, messages: SentMessage[], wire: Wire): Promise<StatusesResult> {
  const rows = await store.sql<StoredStatus>(
    `select m._id, m.status, m.sent_at, m.delivered_at, m.read_at, m.failed_at, coalesce(told.events, '{}') as events
      from messages m left join (select company_id, resource_id, array_agg(event order by seq) as events
        from deliveries group by 1, 2) told on told.company_id = m.company_id and told.resource_id = m._id
      where m.message_type = 'OUTGOING'`,
  );
  const byId = new Map(rows.map((row) => [row._id, row]));
  assert.equal(rows.length, messages.length);
  const count: Record<string, number> = {};
  for (const { _id, reports } of messages) {
    const row = byId.get(_id) as StoredStatus;
    const { status, events, reported } = foldStatuses(reports, wire);
    assert.deepEqual([row.status, row.events], [status, events], `${_id} got ${reports.join(', ')}`);
    assert.notEqual(row.sent_at, null, 'the network has accepted each message');
    for (const report of ['delivered', 'read'] as const) {
      assert.equal(
        row[`${report}_at`] !== null,
        reported.has(report),
        `${report}_at of ${_id}, which got ${reports.join(', ')}`,
      );
    }
    assert.equal(row.failed_at !== null, status === 'FAILED');
    count[status] = (count[status] ?? 0) + 1;
  }
  const { READ: read = 0, DELIVERED: delivered = 0, SENT: sent = 0, FAILED: failed = 0 } = count;
  const statuses = messages.reduce((sum, { reports }) => sum + reports.length, 0);
  const events = rows.reduce((sum, row) => sum + row.events.length, 0);
  return { messages: messages.length, statuses, read, delivered, sent, failed, events };
}

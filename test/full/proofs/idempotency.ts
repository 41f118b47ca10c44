/**
 * Idempotency-Keys under load: 20 callers use each key at the same time, over several processes, one of which is killed from
 * time to time. Afterwards each key has exactly one record, every caller got that record as its answer, and each text was sent
 * to the network at most once. A key that a killed process held is answered or can be used again once its lease has ended.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../../support/platform.ts';
import { waitUntil } from '../../support/wait.ts';
import { createChance, type Chance } from '../harness/chance.ts';
import { createNetwork, runConcurrently, buildNotification, buildTextElement } from '../harness/network.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { countAccepted, readAcceptedText } from '../harness/accepted.ts';
import { call, withStage, createInbox, type Stage, type Tenant } from '../harness/stage.ts';

export interface IdempotencySize {
  /** The number of processes of the platform. */
  processes: number;
  keys: number;
  kills: number;
  seed: number;
}

export interface IdempotencyResult {
  keys: number;
  requests: number;
  /** The number of answers that contain the record, and how many of them were replayed (idempotent-replayed). */
  answered: number;
  replayed: number;
  inFlight: number;
  /** The number of requests whose process was killed meanwhile, and of requests refused with 503 as too busy; both are repeated. */
  cut: number;
  busy: number;
  /** The number of keys for which no caller got the record before the lease of the key ended. */
  leased: number;
  kills: number;
}

const PHONE = '100000000000700';
const CALLERS = 20;
const LANES = 3;
// A key that a killed process held is free after its lease of 15 s; the rest is for a busy machine.
const LEASE_MS = 180_000;
// A process is killed at most this many milliseconds after its callers begin, and at the latest with the first answer.
const KILL_WITHIN_MS = 40;

/** A request that creates something, and a query that counts what it created. */
interface RepeatedRequest {
  key: string;
  path: string;
  body: Json;
  other: Json;
  /** SQL that counts what the request created; `$1` is the unique value in it. */
  effects: string;
  unique: string;
}

/** An answer that arrived completely. */
interface FinalAnswer {
  status: number;
  replayed: boolean;
  body: Json;
}

type MakeRequest = (number: number, conversation: string) => Omit<RepeatedRequest, 'key'>;

/** Fields that may differ between two answers about the same record: the record changes later, and a token is shown only once. */
const CHANGING_FIELDS = [
  'token',
  'connection',
  'status',
  'external_id',
  'errors',
  'sent_at',
  'delivered_at',
  'read_at',
  'updatedAt',
];

const KINDS: MakeRequest[] = [
  (number, conversationId) => ({
    path: '/v1/messages/send-text',
    body: { conversationId, message: { content: `Text ${number}` } },
    other: { conversationId, message: { content: 'Another text' } },
    effects: 'select count(*)::int as count from messages where content = $1',
    unique: `Text ${number}`,
  }),
  (number) => ({
    path: '/v1/users',
    body: { name: 'Ana', email: `person${number}@example.test`, role: 'VIEWER' },
    other: { name: 'Ana', email: 'another@example.test', role: 'VIEWER' },
    effects: 'select count(*)::int as count from users where email = $1',
    unique: `person${number}@example.test`,
  }),
  (number) => ({
    path: '/v1/inboxes',
    body: makeInbox(number),
    other: { channel: 'WEB_V2', name: 'Another inbox' },
    effects: 'select count(*)::int as count from inboxes where name = $1',
    unique: `Inbox ${number}`,
  }),
  (number) => ({
    path: '/v1/api-keys',
    body: { name: `Key ${number}`, type: 'company', scopes: ['contacts:read'] },
    other: { name: 'Another key', type: 'company', scopes: ['contacts:read'] },
    effects: 'select count(*)::int as count from api_keys where name = $1',
    unique: `Key ${number}`,
  }),
];

/** An inbox is checked with the network after it is stored, so creating one takes two transactions. */
function makeInbox(number: number): Json {
  const id = `1000001${String(number).padStart(8, '0')}`;
  return {
    channel: 'WAP_AUTO_CLOSER',
    name: `Inbox ${number}`,
    number: '+5511933334444',
    api_wap_config: { phone_number_id: id, waba_id: `2${id}`, business_id: '3', business_token: 'token' },
  };
}

export async function proveIdempotency(size: IdempotencySize): Promise<IdempotencyResult> {
  return withStage({}, async (stage) => {
    const chance = createChance(size.seed);
    const processes = await Promise.all(Array.from({ length: size.processes }, () => stage.start('api')));
    const first = processes[0] as PlatformProcess;
    const tenant = await stage.createTenant('Repeating');
    await createInbox(first, tenant, PHONE);
    const conversation = await openConversation(stage, first);
    const settings = {
      callback_url: null,
      // The network answers slowly, so that a kill interrupts calls.
      faults: { send: [{ kind: 'slow', ms: 30, times: null }] },
      status_delays_ms: { sent: null, delivered: null, read: null },
    };
    await call(200, 'PUT', `${stage.sandboxUrl}/sandbox/settings`, { body: settings });
    const asked = Array.from({ length: size.keys }, (_, n): RepeatedRequest => {
      const kind = KINDS[n % KINDS.length] as MakeRequest;
      return { key: `key-${n}`, ...kind(n, conversation) };
    });
    const crowd = {
      chance,
      processes,
      tenant,
      account: makeEmptyResult(size),
      answers: new Map<string, FinalAnswer[]>(),
    };
    await sendConcurrentRequests(crowd, asked, size.kills);
    await assertOneRecordPerKey(stage, crowd, asked);
    return crowd.account;
  });
}

const makeEmptyResult = ({ keys, kills }: IdempotencySize): IdempotencyResult => ({
  keys,
  requests: 0,
  answered: 0,
  replayed: 0,
  inFlight: 0,
  cut: 0,
  busy: 0,
  leased: 0,
  kills,
});

async function openConversation(stage: Stage, api: PlatformProcess): Promise<string> {
  const network = createNetwork(stage.appSecret);
  const element = buildTextElement(PHONE, '5511981000700', 'wamid.in.700', 'Hello');
  await network.postUntilHeard(api.url, buildNotification([element]));
  await network.close();
  const [row] = await stage.store.sql<{ _id: string }>('select _id from conversations');
  return row?._id ?? '';
}

interface CrowdOfProcesses {
  chance: Chance;
  processes: PlatformProcess[];
  tenant: Tenant;
  account: IdempotencyResult;
  /** The answers that contain a record, by Idempotency-Key. */
  answers: Map<string, FinalAnswer[]>;
}

async function sendConcurrentRequests(crowd: CrowdOfProcesses, asked: RepeatedRequest[], kills: number): Promise<void> {
  const { chance, processes } = crowd;
  const slice = Math.floor(asked.length / (kills + 1));
  const moments = new Set(Array.from({ length: kills }, (_, n) => (n + 1) * slice - chance.int(slice)));
  let mending: Promise<void> = Promise.resolve();
  await runConcurrently(LANES, asked.keys(), async (number) => {
    // All callers of a key use the process that will be killed, so that the process which holds the key is always the killed one.
    let victim: PlatformProcess | undefined;
    const first = Promise.withResolvers<void>();
    if (moments.has(number)) {
      const before = mending;
      const chosen = chance.pick(processes);
      const delayMs = chance.int(KILL_WITHIN_MS);
      // Processes are killed one after the other, so that two of three are always alive.
      mending = before.then(() => Promise.race([sleep(delayMs), first.promise])).then(() => killAndRestart(chosen));
      // A failure of the restart is reported where this promise is awaited.
      mending.catch(() => undefined);
      await before;
      victim = chosen;
    }
    const one = asked[number] as RepeatedRequest;
    await Promise.all(Array.from({ length: CALLERS }, () => askUntilAnswered(crowd, one, victim).then(first.resolve)));
  });
  await mending;
}

async function killAndRestart(process: PlatformProcess): Promise<void> {
  await process.kill();
  await process.restart();
}

/** Acts as one caller: repeats the request when its process died or was too busy, and accepts 409 as an answer. */
async function askUntilAnswered(
  crowd: CrowdOfProcesses,
  asked: RepeatedRequest,
  first?: PlatformProcess,
): Promise<void> {
  const { account, answers } = crowd;
  for (let at = first; ;) {
    const answer = await sendOnce(crowd, asked, at);
    if (!answer) {
      account.cut += 1;
      at = undefined;
    } else if (answer.status === 503) {
      account.busy += 1;
      await sleep(50);
    } else if (answer.status === 409) {
      assert.equal(answer.body.code, 'IDEMPOTENCY_IN_FLIGHT', asked.key);
      account.inFlight += 1;
      return;
    } else {
      assert.equal(answer.status, 201, `${asked.key}: ${JSON.stringify(answer.body)}`);
      answers.set(asked.key, [...(answers.get(asked.key) ?? []), answer]);
      account.answered += 1;
      if (answer.replayed) account.replayed += 1;
      return;
    }
  }
}

/** Sends the request once; returns null when the process died meanwhile. */
async function sendOnce(
  crowd: CrowdOfProcesses,
  { key, path, body }: RepeatedRequest,
  at?: PlatformProcess,
): Promise<FinalAnswer | null> {
  const { chance, processes, tenant, account } = crowd;
  const living = at ?? chance.pick(processes.filter((process) => process.alive));
  assert.ok(living, 'no process lives');
  account.requests += 1;
  try {
    const response = await fetch(living.url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tenant.key}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(body),
    });
    const replayed = response.headers.get('idempotent-replayed') === 'true';
    return { status: response.status, replayed, body: await response.json() };
  } catch {
    // Failure policy: this proof cuts connections on purpose; the caller repeats the request.
    return null;
  }
}

async function assertOneRecordPerKey(stage: Stage, crowd: CrowdOfProcesses, asked: RepeatedRequest[]): Promise<void> {
  const { account, answers } = crowd;
  assert.ok(account.kills === 0 || account.cut > 0, 'no kill met a request');
  await runConcurrently(LANES, asked, async (one) => {
    const told = answers.get(one.key) ?? [];
    if (told.length === 0) account.leased += 1;
    const last = await awaitFinalAnswer(crowd, one);
    for (const { body } of told)
      assert.deepEqual(omitPassingFields(body), omitPassingFields(last.body), `${one.key}: two answers`);
    const makers = told.filter(({ replayed }) => !replayed);
    assert.ok(makers.length <= 1, `${one.key} was made ${makers.length} times`);
    const tokens = [...told, last].filter(({ body }) => typeof body.token === 'string');
    assert.ok(tokens.length <= 1, `${one.key}: its token was shown ${tokens.length} times`);
    const refused = await sendOnce(crowd, { ...one, body: one.other });
    assert.equal(refused?.status, 422, `${one.key} with another body`);
    const [row] = await stage.store.sql<{ count: number }>(one.effects, [one.unique]);
    assert.equal(row?.count, 1, `${one.key} has ${row?.count} effects`);
  });
  await assertOneAuditLinePerKey(stage, asked);
  await assertTextsSentOnce(stage, asked, answers);
}

/** Repeats the request until it is answered, even after the lease of a process that was killed. */
function awaitFinalAnswer(crowd: CrowdOfProcesses, asked: RepeatedRequest): Promise<FinalAnswer> {
  return waitUntil(
    `${asked.key} to be answered`,
    async () => {
      const answer = await sendOnce(crowd, asked);
      if (answer?.status === 201) return answer;
      assert.ok(answer && [409, 503].includes(answer.status), `${asked.key}: ${answer?.status}`);
      await sleep(200);
      return null;
    },
    LEASE_MS,
  );
}

const omitPassingFields = (body: Json): Json =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !CHANGING_FIELDS.includes(name)));

/** Checks that each request has one line in the audit and one finished key, and that nothing else was created. */
async function assertOneAuditLinePerKey({ store }: Stage, asked: RepeatedRequest[]): Promise<void> {
  const [traces] = await store.sql<{ lines: number; keys: number; records: number }>(
    `select (select count(*)::int from audit_log where resource_id in (select resource_id from idempotency_keys)) as lines,
      (select count(*)::int from idempotency_keys where resource_id is not null) as keys,
      (select count(distinct resource_id)::int from idempotency_keys) as records`,
  );
  assert.deepEqual(traces, { lines: asked.length, keys: asked.length, records: asked.length });
  const [others] = await store.sql<{ count: number }>(
    `select (select count(*) from messages where content = 'Another text')::int
      + (select count(*) from users where email = 'another@example.test')::int
      + (select count(*) from inboxes where name = 'Another inbox')::int
      + (select count(*) from api_keys where name = 'Another key')::int as count`,
  );
  assert.equal(others?.count, 0, 'another body made something');
}

/** Checks that each text was sent at most once, and exactly once when a caller was answered that it is SENT. */
async function assertTextsSentOnce(
  stage: Stage,
  asked: RepeatedRequest[],
  answers: Map<string, FinalAnswer[]>,
): Promise<void> {
  const taken = await countAccepted(stage, readAcceptedText);
  for (const { key, path, unique } of asked.filter((one) => one.path.endsWith('send-text'))) {
    const times = taken.get(unique) ?? 0;
    assert.ok(times <= 1, `${key}: ${path} called the network ${times} times`);
    const isSent = (answers.get(key) ?? []).some(({ body }) => body.status === 'SENT');
    if (isSent) assert.equal(times, 1, `${key} was told SENT and never left`);
  }
}

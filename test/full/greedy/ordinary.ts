/** Companies that behave as usual, at a steady rate: they read, list and send, their contacts write, and their receivers get events. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { waitUntil } from '../../support/wait.ts';
import { createNetwork, buildNotification, buildTextElement, type SimulatedNetwork } from '../harness/network.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { startReceiver, type Receiver } from '../harness/receiver.ts';
import { repeatAtRate } from '../harness/rhythm.ts';
import { call, createWebhook, createInbox, type Stage, type Tenant } from '../harness/stage.ts';

export const KINDS = ['read', 'list', 'send', 'callback', 'delivery', 'import'] as const;
export type RequestKind = (typeof KINDS)[number];

interface OrdinaryCompany extends Tenant {
  phone: string;
  path: string;
  conversation: string;
  contact: string;
}

export interface OrdinaryCompanies {
  api: PlatformProcess;
  stage: Stage;
  companies: OrdinaryCompany[];
  receiver: Receiver;
  network: SimulatedNetwork;
  agent: Agent;
  /** The number of phases measured so far; records of each phase get different names. */
  phases: number;
  close(): Promise<void>;
}

export interface MeasuredAnswers {
  timesMs: Record<RequestKind, number[]>;
  /** The number of answers that no ordinary request should get, by kind of request and status. */
  refused: Map<string, number>;
  /** The number of requests without an answer, callbacks without a delivery, and imports without an end. */
  unanswered: number;
}

// The time limit of an answer, longer than the platform may take.
const ANSWER_MS = 30_000;
const CONCURRENT_OPENINGS = 5;
const PERSON = '5511984000001';

export async function openOrdinaryCompanies(
  stage: Stage,
  api: PlatformProcess,
  count: number,
): Promise<OrdinaryCompanies> {
  const receiver = await startReceiver(() => ({ status: 204, afterMs: 0 }));
  const network = createNetwork(stage.appSecret);
  // The number of connections is not limited, so that no request waits for a connection on this side.
  const agent = new Agent({ connections: null, headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS });
  const close = async (): Promise<void> => {
    await agent.destroy();
    await network.close();
    await receiver.close();
  };
  const town: OrdinaryCompanies = { api, stage, companies: [], receiver, network, agent, phases: 0, close };
  try {
    for (let from = 0; from < count; from += CONCURRENT_OPENINGS) {
      const few = Array.from({ length: Math.min(CONCURRENT_OPENINGS, count - from) }, (_, n) =>
        openOrdinaryCompany(town, from + n),
      );
      town.companies.push(...(await Promise.all(few)));
    }
    return town;
  } catch (error) {
    await close();
    throw error;
  }
}

async function openOrdinaryCompany(
  { api, stage, network, receiver }: OrdinaryCompanies,
  number: number,
): Promise<OrdinaryCompany> {
  const tenant = await stage.createTenant(`Company ${number}`);
  const phone = `8000000000${String(number).padStart(5, '0')}`;
  const path = `/${number}`;
  await createInbox(api, tenant, phone);
  await createWebhook(api, tenant, `${receiver.url}${path}`, ['MESSAGE_RECEIVED']);
  const hello = buildTextElement(phone, PERSON, `wamid.hello.${number}`, 'Hello');
  await network.postUntilHeard(api.url, buildNotification([hello]));
  const { key } = tenant;
  const found = (await call(200, 'GET', `${api.url}/v1/conversations`, { key })).result as Record<string, string>[];
  const [conversation] = found;
  assert.ok(conversation, 'a first message opens a conversation');
  const contacts = (await call(200, 'GET', `${api.url}/v1/contacts`, { key })).result as Record<string, string>[];
  return { ...tenant, phone, path, conversation: conversation['_id'] ?? '', contact: contacts[0]?.['_id'] ?? '' };
}

export interface PhaseSize {
  seconds: number;
  /** The rate per second at which each company reads, lists, sends and gets a message. */
  perSecond: number;
  /** Whether one company also imports sheets; a worker looks for imports once a second. */
  imports: boolean;
}

/** Measures all requests of a phase; resolves when the last one is answered or given up. */
export async function measureOrdinaryRequests(
  town: OrdinaryCompanies,
  { seconds, perSecond, imports }: PhaseSize,
): Promise<MeasuredAnswers> {
  town.phases += 1;
  const measured: MeasuredAnswers = {
    timesMs: { read: [], list: [], send: [], callback: [], delivery: [], import: [] },
    refused: new Map(),
    unanswered: 0,
  };
  const posted = new Map<string, number>();
  let round = 0;
  const traffic = town.companies.map(async (company, n) => {
    // Companies start at different moments within a second, so that their requests do not come all at once.
    await sleep((1_000 * n) / (town.companies.length * perSecond));
    return repeatAtRate(perSecond, seconds, () =>
      sendOneOfEachKind(town, company, { measured, posted, id: `${n}.${round++}` }),
    );
  });
  await Promise.all([...traffic, imports ? importRepeatedly(town, seconds, measured) : null]);
  await awaitDeliveries(town, posted, measured);
  return measured;
}

interface RequestRound {
  measured: MeasuredAnswers;
  /** The time at which each callback was posted, by the network id of its message. */
  posted: Map<string, number>;
  id: string;
}

async function sendOneOfEachKind(
  town: OrdinaryCompanies,
  company: OrdinaryCompany,
  { measured, posted, id }: RequestRound,
): Promise<void> {
  const { api, network } = town;
  const externalId = `wamid.${town.phases}.${id}`;
  const body = { conversationId: company.conversation, message: { content: `Text ${id}`, contentType: 'TEXT' } };
  const text = buildNotification([buildTextElement(company.phone, PERSON, externalId, `Word ${id}`)]);
  const ask = (kind: RequestKind, wanted: number, work: () => Promise<number | null>): Promise<void> =>
    recordTime(measured, { kind, wanted, work });
  await Promise.all([
    ask('read', 200, () => sendRequest(town, company, `/v1/contacts/${company.contact}`)),
    ask('list', 200, () => sendRequest(town, company, '/v1/conversations')),
    ask('send', 201, () => sendRequest(town, company, '/v1/messages/send-text', JSON.stringify(body))),
    ask('callback', 200, async () => {
      posted.set(externalId, Date.now());
      return network.post(api.url, text);
    }),
  ]);
}

async function recordTime(
  measured: MeasuredAnswers,
  { kind, wanted, work }: { kind: RequestKind; wanted: number; work: () => Promise<number | null> },
): Promise<void> {
  const { timesMs, refused } = measured;
  const started = performance.now();
  const status = await work();
  timesMs[kind].push(performance.now() - started);
  if (status === null) measured.unanswered += 1;
  else if (status !== wanted) refused.set(`${kind} ${status}`, (refused.get(`${kind} ${status}`) ?? 0) + 1);
}

async function sendRequest(
  { api, agent }: OrdinaryCompanies,
  { key }: Tenant,
  path: string,
  body?: string,
): Promise<number | null> {
  const method = body === undefined ? 'GET' : 'POST';
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  try {
    const headers = { authorization: `Bearer ${key}`, ...type };
    const answer = await request(`${api.url}${path}`, { method, dispatcher: agent, headers, body: body ?? null });
    await answer.body.text();
    return answer.statusCode;
  } catch {
    // Failure policy: a request that failed is counted as one without an answer.
    return null;
  }
}

// The time limit for an import of one row.
const IMPORT_MS = 60_000;

/** The first company imports sheets of one row, one after the other. */
async function importRepeatedly(town: OrdinaryCompanies, seconds: number, measured: MeasuredAnswers): Promise<void> {
  const [company] = town.companies;
  if (!company) return;
  const isOver = startDeadline(seconds);
  for (let row = 0; !isOver(); row += 1) {
    const started = performance.now();
    const form = new FormData();
    form.set('file', new Blob([`name,email\nAna,ana-${town.phases}-${row}@example.com\n`]), 'one.csv');
    const id = await uploadSheet(town, company, form, measured);
    if (id === null) {
      await sleep(IMPORT_PAUSE_MS);
      continue;
    }
    const ended = await becomesTrueInTime(async () => {
      const rows = await town.stage.store.sql('select 1 from runs where _id = $1 and finished_at is not null', [id]);
      return rows.length > 0;
    }, IMPORT_MS);
    if (!ended) measured.unanswered += 1;
    measured.timesMs.import.push(performance.now() - started);
  }
}

const IMPORT_PAUSE_MS = 200;

/** Uploads a sheet and returns the id of the import, or null when it was refused, which is counted. */
async function uploadSheet(
  { api }: OrdinaryCompanies,
  { key }: Tenant,
  body: FormData,
  measured: MeasuredAnswers,
): Promise<string | null> {
  try {
    const headers = { authorization: `Bearer ${key}` };
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(`${api.url}/v1/contacts/import`, { method: 'POST', headers, body, signal });
    const { _id = null } = (await answer.json()) as { _id?: string };
    const name = `import ${answer.status}`;
    if (answer.status !== 201) measured.refused.set(name, (measured.refused.get(name) ?? 0) + 1);
    return _id;
  } catch {
    // Failure policy: a request that failed is counted as one without an answer.
    measured.unanswered += 1;
    return null;
  }
}

async function awaitDeliveries(
  { receiver }: OrdinaryCompanies,
  posted: Map<string, number>,
  measured: MeasuredAnswers,
): Promise<void> {
  const received = (): Map<string, number> =>
    new Map(receiver.receipts.flatMap(({ externalId, atMs }) => (externalId === null ? [] : [[externalId, atMs]])));
  await becomesTrueInTime(() => {
    const now = received();
    return [...posted.keys()].every((id) => now.has(id));
  }, ANSWER_MS);
  const all = received();
  for (const [id, postedMs] of posted) {
    const atMs = all.get(id);
    if (atMs === undefined) measured.unanswered += 1;
    measured.timesMs.delivery.push((atMs ?? Date.now()) - postedMs);
  }
  // Receipts that were measured are removed, so that later phases do not search them again.
  receiver.receipts.length = 0;
}

/** Waits for a condition; returns false when the condition did not hold in time. */
async function becomesTrueInTime(holds: () => Promise<boolean> | boolean, ms: number): Promise<boolean> {
  try {
    return await waitUntil('a condition', holds, ms);
  } catch {
    // Failure policy: the caller counts what did not come in time.
    return false;
  }
}

function startDeadline(seconds: number): () => boolean {
  const endMs = performance.now() + seconds * 1_000;
  return () => performance.now() >= endMs;
}

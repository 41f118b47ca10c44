/** The callers of a company during failovers: each repeats a request until its answer is final, as the documents advise. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../../support/platform.ts';
import { buildForm } from '../../support/sheets.ts';
import type { Chance } from '../harness/chance.ts';
import type { DatabasePair } from '../harness/database-pair.ts';
import { buildNotification, buildTextElement, type SimulatedNetwork } from '../harness/network.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import type { Receiver } from '../harness/receiver.ts';
import type { Stage, Tenant } from '../harness/stage.ts';

export interface FailoverRun {
  stage: Stage;
  pair: DatabasePair;
  chance: Chance;
  processes: PlatformProcess[];
  tenant: Tenant;
  network: SimulatedNetwork;
  receiver: Receiver;
  /** The inbox of bulk runs. */
  inbox: string;
  conversations: string[];
  acknowledged: Acknowledged;
  /** How often each kind of request got which status. */
  answers: Map<string, number>;
  /** The slowest answer of each kind since the proof last cleared this. */
  slowestMs: Map<string, number>;
  /** Aborted when the callers may end. */
  ending: AbortSignal;
}

/** What the company was told that it has. */
export interface Acknowledged {
  callbacks: Set<string>;
  contacts: Set<string>;
  /** The status of the message in the answer, by its text. */
  texts: Map<string, string>;
  /** The number of rows of each import, by its id. */
  imports: Map<string, number>;
  bulkRuns: Json[];
}

export const PHONE = '100000000000700';
export const BULK_PHONE = '100000000000701';
export const CAMPAIGN_PHONE = '100000000000702';
/** The first numbers of the contacts that write, that get a bulk message, and that a campaign has. */
export const FIRST = { writer: 71_000_000, bulk: 72_000_000, campaign: 73_000_000 };
export const makeNumber = (number: number): string => `55119${number}`;

const CALLBACK_LANES = 2;
const ROWS = 200;
const BULK_CONTACTS = 12;
const PAUSE_MS = { callback: 80, contact: 150, text: 150, import: 3_000, bulk: 500 };
const AGAIN_MS = 100;

/** Runs all callers until the signal. */
export async function runClients(run: FailoverRun): Promise<void> {
  await Promise.all([
    ...Array.from({ length: CALLBACK_LANES }, (_, lane) => repeat(run, 'callback', (n) => postText(run, lane, n))),
    repeat(run, 'contact', (n) => createContact(run, n)),
    repeat(run, 'text', (n) => sendText(run, n)),
    repeat(run, 'import', (n) => importRows(run, n)),
    repeat(run, 'bulk', (n) => sendBulk(run, n)),
  ]);
}

async function repeat(run: FailoverRun, kind: keyof typeof PAUSE_MS, act: (n: number) => Promise<void>): Promise<void> {
  for (let n = 0; !run.ending.aborted; n += 1) {
    await act(n);
    await sleep(PAUSE_MS[kind]);
  }
}

/** Asks once, and records the status and the time of the answer. */
async function record<T extends number | { status: number }>(
  run: FailoverRun,
  kind: keyof typeof PAUSE_MS,
  ask: () => Promise<T>,
): Promise<T> {
  const beganMs = performance.now();
  const answer = await ask();
  const status = typeof answer === 'number' ? answer : answer.status;
  const slowestMs = Math.max(run.slowestMs.get(kind) ?? 0, Math.round(performance.now() - beganMs));
  // A bulk run is answered when it has ended.
  if (kind !== 'bulk') run.slowestMs.set(kind, slowestMs);
  run.answers.set(`${kind} ${status}`, (run.answers.get(`${kind} ${status}`) ?? 0) + 1);
  return answer;
}

async function postText(run: FailoverRun, lane: number, n: number): Promise<void> {
  const id = `wamid.failover.${lane}.${n}`;
  // Each tenth message comes from somebody who writes for the first time.
  const writer = FIRST.writer + lane * 100_000 + Math.floor(n / 10);
  const body = buildNotification([buildTextElement(PHONE, makeNumber(writer), id, 'Hello')]);
  for (;;) {
    const status = await record(run, 'callback', async () => (await run.network.post(chooseUrl(run), body)) ?? 0);
    assert.notEqual(status, 0, 'a callback got no answer');
    assert.ok(status === 200 || status === 503, `a callback was answered ${status}`);
    if (status === 200) return void run.acknowledged.callbacks.add(id);
    await sleep(AGAIN_MS);
  }
}

async function createContact(run: FailoverRun, n: number): Promise<void> {
  const name = `Contact ${n}`;
  const body = JSON.stringify({ name, phone_number: `+${makeNumber(74_000_000 + n)}` });
  await askUntilFinal(run, 'contact', '/v1/contacts', () => body);
  run.acknowledged.contacts.add(name);
}

async function sendText(run: FailoverRun, n: number): Promise<void> {
  const content = `Text ${n}`;
  const conversationId = run.chance.pick(run.conversations);
  const body = JSON.stringify({ conversationId, message: { content, contentType: 'TEXT' } });
  const message = await askUntilFinal(run, 'text', '/v1/messages/send-text', () => body);
  run.acknowledged.texts.set(content, message.status);
}

async function importRows(run: FailoverRun, n: number): Promise<void> {
  const rows = Array.from({ length: ROWS }, (_, row) => `Row ${n}.${row},row-${n}-${row}@example.com`);
  const data = ['name,email', ...rows].join('\n');
  const { _id } = await askUntilFinal(run, 'import', '/v1/contacts/import', () =>
    buildForm({ file: { name: 'rows.csv', data, type: 'text/csv' } }),
  );
  run.acknowledged.imports.set(_id, ROWS);
}

async function sendBulk(run: FailoverRun, n: number): Promise<void> {
  const contacts = Array.from({ length: BULK_CONTACTS }, (_, place) => ({
    name: `Bulk ${n}.${place}`,
    phone: makeNumber(FIRST.bulk + n * BULK_CONTACTS + place),
  }));
  const parts = {
    inboxId: run.inbox,
    templateName: 'hello_world',
    languageCode: 'pt_BR',
    contacts: JSON.stringify(contacts),
  };
  const result = await askUntilFinal(run, 'bulk', '/v1/messages/send-bulk-template', () => buildForm(parts));
  run.acknowledged.bulkRuns.push(result);
}

const chooseUrl = ({ chance, processes }: FailoverRun): string => chance.pick(processes).url;

/** Repeats a request with its Idempotency-Key while the answer is 503, or 409 because the first request or earlier imports still run. */
async function askUntilFinal(
  run: FailoverRun,
  kind: keyof typeof PAUSE_MS,
  path: string,
  buildBody: () => string | FormData,
): Promise<Json> {
  const repeatKey = randomUUID();
  for (;;) {
    const { status, text } = await record(run, kind, () =>
      post(run, `${chooseUrl(run)}${path}`, repeatKey, buildBody()),
    );
    if (status === 201) return JSON.parse(text) as Json;
    const isEarly = status === 409 && /IDEMPOTENCY_IN_FLIGHT|IMPORTS_WAITING/.test(text);
    assert.ok(status === 503 || isEarly, `${path} was answered ${status}: ${text.slice(0, 500)}`);
    await sleep(AGAIN_MS);
  }
}

async function post({ tenant }: FailoverRun, url: string, repeatKey: string, body: string | FormData) {
  const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
  const headers = { authorization: `Bearer ${tenant.key}`, 'idempotency-key': repeatKey, ...type };
  const answer = await fetch(url, { method: 'POST', headers, body });
  return { status: answer.status, text: await answer.text() };
}

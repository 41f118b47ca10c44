/**
 * Sends one template to many contacts, some of them faulty, while the process that sends is killed; the caller repeats the request with its
 * Idempotency-Key. The list of messages in the sandbox network shows who got the template, and how often.
 */
import assert from 'node:assert/strict';
import type { BulkResult } from '../../../src/features/bulk/schemas.ts';
import { makePoolSetting } from '../../support/platform.ts';
import { buildForm } from '../../support/sheets.ts';
import { fetchUntilAccepted } from '../../support/until-accepted.ts';
import { waitUntil } from '../../support/wait.ts';
import { countAccepted } from '../harness/accepted.ts';
import { assertWorkWasInterrupted } from '../harness/blows.ts';
import { createChance, type Chance } from '../harness/chance.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { call, createInbox, withStage, type Stage, type Tenant } from '../harness/stage.ts';

export interface BulkSize {
  contacts: number;
  /** How many of them are faulty. */
  bad: number;
  kills: number;
  seed: number;
}

export interface BulkFigures {
  contacts: number;
  sent: number;
  bad: number;
  unknown: number;
  requests: number;
  kills: number;
}

const PHONE = '100000000000210';
const FIRST_NUMBER = 60_000_000;
const PROCESSES = 2;
// The messages that a process has begun at most when it is killed.
const CALLS = 96;
// A run stores messages ahead, marks them, and stores what the network answered, all at once.
const CONNECTIONS = 4;
const RUN_MS = 300_000;

export async function proveBulk(size: BulkSize): Promise<BulkFigures> {
  return withStage({}, async (stage) => {
    const chance = createChance(size.seed);
    const env = {
      NUMBER_THROUGHPUT: '80',
      BULK_MAX_CONTACTS: String(size.contacts),
      ...makePoolSetting(CONNECTIONS),
    };
    const processes = await Promise.all(Array.from({ length: PROCESSES }, () => stage.start('api', env)));
    const tenant = await stage.createTenant('Sender');
    const inboxId = await createInbox(processes[0] as PlatformProcess, tenant, PHONE);
    await copyTemplates(stage);
    const { contacts, faults } = makeContacts(size, chance);
    const request = { inboxId, templateName: 'hello_world', languageCode: 'pt_BR', contacts: JSON.stringify(contacts) };
    let requests = 0;
    let cut = 0;
    let restarting: Promise<void> = Promise.resolve();
    for (let kill = 1; kill <= size.kills; kill += 1) {
      const process = chance.pick(processes.filter(({ alive }) => alive));
      const wanted = Math.floor((kill / (size.kills + 1)) * (size.contacts - size.bad));
      requests += 1;
      const answered = post(process, tenant, request).then(async (answer) => {
        if (answer)
          throw new Error(`the run ended before its process was killed: ${answer.status} ${await answer.text()}`);
      });
      const arrived = waitUntil('messages to arrive', async () => (await countSends(stage)) >= wanted, RUN_MS);
      await Promise.race([arrived, answered]);
      await process.kill();
      await answered;
      cut += 1;
      await endLeases(stage);
      await restarting;
      restarting = process.restart();
      // A failure of the restart is reported where this promise is awaited.
      restarting.catch(() => undefined);
    }
    await restarting;
    const answer = await post(processes[0] as PlatformProcess, tenant, request);
    assert.equal(answer?.status, 201);
    const result = (await answer.json()) as BulkResult;
    assertWorkWasInterrupted('a bulk run', { blows: size.kills, met: cut });
    const unknown = await compareWithNetwork(stage, { contacts, faults }, result);
    assert.ok(unknown <= size.kills * CALLS, `${unknown} outcomes are unknown`);
    return {
      contacts: size.contacts,
      sent: result.sentCount,
      bad: size.bad,
      unknown,
      requests: requests + 1,
      kills: cut,
    };
  });
}

async function copyTemplates(stage: Stage): Promise<void> {
  const worker = await stage.start('worker');
  const copied = 'select 1 from template_catalogues where fetched_at is not null';
  await waitUntil('the templates', async () => (await stage.store.sql(copied)).length > 0);
  await worker.kill();
}

interface Contacts {
  contacts: { name: string; phone: string }[];
  /** The code of each faulty contact, by its row. */
  faults: Map<number, string>;
}

function makeContacts({ contacts: count, bad }: BulkSize, chance: Chance): Contacts {
  const contacts = Array.from({ length: count }, (_, n) => ({
    name: `Person ${n}`,
    phone: `55119${FIRST_NUMBER + n}`,
  }));
  const faults = new Map<number, string>();
  while (faults.size < bad) {
    // The first contact stays good, because others repeat it.
    const place = 1 + chance.int(count - 1);
    const contact = contacts[place];
    if (!contact || faults.has(place + 1)) continue;
    const code = chance.pick(['INVALID_NUMBER', 'DUPLICATE']);
    contact.phone = code === 'DUPLICATE' ? (contacts[0]?.phone ?? '') : `9${chance.int(1_000)}`;
    faults.set(place + 1, code);
  }
  return { contacts, faults };
}

/** Posts the request; null when the process died before it answered. */
async function post(
  { url }: PlatformProcess,
  { key }: Tenant,
  parts: Record<string, string>,
): Promise<Response | null> {
  const headers = { authorization: `Bearer ${key}`, 'idempotency-key': 'bulk' };
  try {
    const ask = () => ({ method: 'POST', headers, body: buildForm(parts) });
    return await fetchUntilAccepted(`${url}/v1/messages/send-bulk-template`, ask);
  } catch {
    // Failure policy: this proof cuts connections on purpose.
    return null;
  }
}

const countSends = async ({ sandboxUrl }: Stage): Promise<number> =>
  (await call(200, 'GET', `${sandboxUrl}/sandbox/stats`)).sends as number;

/** Ends what the killed process holds at once, so that the proof need not wait for the end of its leases. */
async function endLeases({ store }: Stage): Promise<void> {
  await store.sql('update bulk_runs set held_until = now()');
  await store.sql('update idempotency_keys set running_until = now()');
}

/** Checks the result of the run against what the network got. Returns how many outcomes are unknown. */
async function compareWithNetwork(stage: Stage, { contacts, faults }: Contacts, result: BulkResult): Promise<number> {
  const accepted = await countAccepted(stage);
  assert.deepEqual(
    [...accepted].filter(([, times]) => times > 1),
    [],
    'a contact got the template twice',
  );
  const { status, total, totalProcessed, sentCount, errorCount, errors, sentContacts } = result;
  assert.deepEqual([status, total, totalProcessed], ['COMPLETED', contacts.length, contacts.length]);
  assert.deepEqual([sentContacts.length, errors.length], [sentCount, errorCount]);
  assert.equal(sentCount + errorCount, contacts.length);
  const [unknown, named] = [
    errors.filter(({ code }) => code === 'OUTCOME_UNKNOWN'),
    errors.filter(({ code }) => code !== 'OUTCOME_UNKNOWN'),
  ];
  assert.deepEqual(
    new Map(named.map(({ row, code }) => [row, code])),
    new Map([...faults].toSorted(([a], [b]) => a - b)),
  );
  for (const { phoneNumber } of sentContacts)
    assert.equal(accepted.get(phoneNumber.slice(1)), 1, `${phoneNumber} counts as sent, and got nothing`);
  const told = new Set([...sentContacts.map(({ row }) => row), ...unknown.map(({ row }) => row)]);
  for (const [place, { phone }] of contacts.entries())
    if (accepted.has(phone) && !faults.has(place + 1)) assert.ok(told.has(place + 1), `${phone} got an untold message`);
  return unknown.length;
}

/**
 * Very many contacts write to agents at the same moment, and the model takes two seconds for each answer. Meanwhile other companies call the
 * API and get their events as quickly as without them: rounds with and without conversations follow each other in one run, so that
 * disturbances of the machine affect both. The memory of the process stays what it was after the first round.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openModel, say, sendJson } from '../../support/model.ts';
import { reportProgress } from '../../support/progress.ts';
import { waitUntil } from '../../support/wait.ts';
import { buildNotification, buildTextElement, createNetwork } from '../harness/network.ts';
import { medianShare, medianTime } from '../harness/percentile.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { startReceiver, type Receiver } from '../harness/receiver.ts';
import { repeatAtRate } from '../harness/rhythm.ts';
import { call, createInbox, createWebhook, withStage, type Stage, type Tenant } from '../harness/stage.ts';
import { makeMeasurementEnv, measureSettledMb, readMeasurements } from '../harness/vitals.ts';

export interface CrowdsSize {
  /** How many contacts write at the same moment. */
  conversations: number;
  rounds: number;
  /** How long the other companies are watched in each round, with and without conversations. */
  seconds: number;
  judgesPace: boolean;
  seed: number;
}

export interface CrowdsFigures {
  conversations: number;
  answers: number;
  mostWaiting: number;
  mostAtOnce: number;
  samples: number;
  /** Medians of the other companies' calls, and of the time from a call until its event has arrived. */
  aloneApiMs: number;
  besideApiMs: number;
  aloneEventMs: number;
  besideEventMs: number;
  /** The median share of the time in which the event loop of the process was idle. */
  aloneIdle: number;
  besideIdle: number;
  firstMb: number;
  lastMb: number;
}

const MODEL_MS = 2_000;
const AGENT_COMPANIES = 4;
const OTHER_COMPANIES = 4;
const CALLS_PER_SECOND = 20;
const FIRST_NUMBER = 30_000_000;
const MOST_RATIO = 1.2;
// What a clock of milliseconds cannot tell apart.
const CLOCK_MS = 1;
const MOST_GROWN_MB = 32;
const BATCH = 50;
const RUN_MS = 3_600_000;

interface Run {
  stage: Stage;
  api: PlatformProcess;
  socket: string;
  receiver: Receiver;
  others: Tenant[];
  /** When a call was made that has an event, by the record that it made. */
  calledAt: Map<string, number>;
  model: { calls: number; open: number; mostOpen: number };
}

interface Times {
  apiMs: number[];
  eventMs: number[];
  idle: number[];
}

export async function proveCrowds(size: CrowdsSize): Promise<CrowdsFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-crowds-'));
  const receiver = await startReceiver(() => ({ status: 204, afterMs: 0 }));
  const model = { calls: 0, open: 0, mostOpen: 0 };
  const server = await openModel((_call, response) => {
    model.calls += 1;
    model.open += 1;
    model.mostOpen = Math.max(model.mostOpen, model.open);
    setTimeout(() => {
      model.open -= 1;
      sendJson(response, say('We open at nine.'));
    }, MODEL_MS);
  });
  try {
    return await withStage({}, async (stage) => {
      const socket = join(folder, 'pulse');
      const env = {
        AI_BASE_URL: server.url,
        AI_MODEL: 'slow',
        AGENT_WAIT: '1s',
        AGENT_DAILY_TOKENS: '1000000000',
        DATABASE_POOL: '10',
      };
      const api = await stage.start('all', { ...env, ...makeMeasurementEnv(socket) });
      const run: Run = { stage, api, socket, receiver, model, others: [], calledAt: new Map() };
      await createCompanies(run);
      return await playRounds(run, size);
    });
  } finally {
    server.close();
    await receiver.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const phoneOf = (company: number): string => `10000000000030${company}`;

async function createCompanies({ stage, api, receiver, others }: Run): Promise<void> {
  for (let n = 0; n < AGENT_COMPANIES; n += 1) {
    const tenant = await stage.createTenant(`Crowd ${n}`);
    const inbox = await createInbox(api, tenant, phoneOf(n));
    const handoff = { enabled: true, keywords: [], max_turns: 1_000 };
    const body = { name: 'Ana', type: 'AI', handoff };
    const agent = await call(201, 'POST', `${api.url}/v1/agents`, { key: tenant.key, body });
    await call(200, 'PUT', `${api.url}/v1/inboxes/${inbox}`, { key: tenant.key, body: { default_agent: agent._id } });
  }
  for (let n = 0; n < OTHER_COMPANIES; n += 1) {
    const tenant = await stage.createTenant(`Other ${n}`);
    await createWebhook(api, tenant, `${receiver.url}/${n}`, ['CONTACT_CREATED']);
    others.push(tenant);
  }
}

const startTimes = (): Times => ({ apiMs: [], eventMs: [], idle: [] });

async function playRounds(run: Run, size: CrowdsSize): Promise<CrowdsFigures> {
  const { conversations, rounds, seconds } = size;
  const [alone, beside] = [startTimes(), startTimes()];
  let mostWaiting = 0;
  let firstMb = 0;
  // The first calls open connections and compile code, so they are not measured.
  await callForOthers(run, 1, startTimes());
  for (let round = 0; round < rounds; round += 1) {
    reportProgress(`round ${round + 1} of ${rounds}`);
    await callForOthers(run, seconds, alone);
    const before = run.model.calls;
    await writeAll(run, conversations, round);
    await waitUntil('the model to be asked', () => run.model.calls > before, RUN_MS);
    mostWaiting = Math.max(mostWaiting, await countWaiting(run));
    await callForOthers(run, seconds, beside);
    assert.ok((await countWaiting(run)) > 0, 'the conversations were over before the others were watched');
    await waitUntil('all conversations to be answered', async () => (await countWaiting(run)) === 0, RUN_MS);
    if (round === 0) firstMb = await measureSettledMb(run.socket, run.api.pid);
  }
  const lastMb = await measureSettledMb(run.socket, run.api.pid);
  const answers = await countAnswers(run, conversations * rounds);
  const figures = {
    conversations,
    answers,
    mostWaiting,
    mostAtOnce: run.model.mostOpen,
    samples: beside.apiMs.length,
    aloneApiMs: medianTime(alone.apiMs),
    besideApiMs: medianTime(beside.apiMs),
    aloneEventMs: medianTime(alone.eventMs),
    besideEventMs: medianTime(beside.eventMs),
    aloneIdle: medianShare(alone.idle),
    besideIdle: medianShare(beside.idle),
    firstMb,
    lastMb,
  };
  if (size.judgesPace) assertUndisturbed(figures);
  return figures;
}

function assertUndisturbed(figures: CrowdsFigures): void {
  const { aloneApiMs, besideApiMs, aloneEventMs, besideEventMs, firstMb, lastMb } = figures;
  const text = JSON.stringify(figures);
  assert.ok(besideApiMs <= MOST_RATIO * aloneApiMs + CLOCK_MS, `calls took longer: ${text}`);
  assert.ok(besideEventMs <= MOST_RATIO * aloneEventMs + CLOCK_MS, `events took longer: ${text}`);
  assert.ok(lastMb - firstMb <= MOST_GROWN_MB, `the process grew: ${text}`);
}

/** Lets the other companies create contacts, and adds how long that took, and how long it took until the event had arrived. */
async function callForOthers(run: Run, seconds: number, times: Times): Promise<void> {
  const { api, receiver, others, calledAt, socket } = run;
  const first = receiver.receipts.length;
  const made = new Set<string>();
  let turn = 0;
  await readMeasurements(socket);
  await repeatAtRate(CALLS_PER_SECOND, seconds, async () => {
    const { key } = others[(turn += 1) % others.length] as Tenant;
    const started = performance.now();
    const startedAt = Date.now();
    const { _id } = await call(201, 'POST', `${api.url}/v1/contacts`, { key, body: { name: `Person ${turn}` } });
    times.apiMs.push(performance.now() - started);
    made.add(_id);
    calledAt.set(_id, startedAt);
  });
  times.idle.push((await readMeasurements(socket))?.idleShare ?? 0);
  const arrived = () => receiver.receipts.slice(first).filter(({ resource }) => made.has(resource));
  await waitUntil('the events of the others', () => arrived().length >= made.size);
  times.eventMs.push(...arrived().map(({ resource, atMs }) => atMs - (calledAt.get(resource) ?? 0)));
}

async function writeAll({ stage, api }: Run, conversations: number, round: number): Promise<void> {
  const network = createNetwork(stage.appSecret);
  try {
    for (let first = 0; first < conversations; first += BATCH) {
      const elements = Array.from({ length: Math.min(BATCH, conversations - first) }, (_, n) => {
        const contact = first + n;
        const phone = phoneOf(contact % AGENT_COMPANIES);
        return buildTextElement(phone, `55119${FIRST_NUMBER + contact}`, `wamid.C${round}-${contact}`, 'Are you open?');
      });
      await network.postUntilHeard(api.url, buildNotification(elements));
    }
  } finally {
    await network.close();
  }
}

async function countWaiting({ stage }: Run): Promise<number> {
  const waiting = `select (select count(*) from pending_turns) + (select count(*) from agent_turns where settle_until is not null) as count`;
  return Number((await stage.store.sql<{ count: string }>(waiting))[0]?.count);
}

/** Each contact has got one answer to each message. */
async function countAnswers({ stage, model }: Run, expected: number): Promise<number> {
  const counted = `select count(*)::int as turns, count(*) filter (where outcome = 'ANSWERED')::int as answers from agent_turns`;
  const [row] = await stage.store.sql<{ turns: number; answers: number }>(counted);
  assert.deepEqual([row?.turns, row?.answers, model.calls], [expected, expected, expected]);
  return expected;
}

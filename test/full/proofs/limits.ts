/**
 * Proves rate limits over three processes with floods of one key, of all keys of a company, and of log-ins,
 * each sent to every process. Exactly the limit is admitted, and callers within their limit are not affected.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Json } from '../../support/platform.ts';
import { waitUntil } from '../../support/wait.ts';
import { createChance, type Chance } from '../harness/chance.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { callUntilAccepted, withStage, type Stage, type Tenant } from '../harness/stage.ts';

export interface LimitsSize {
  /** The length of each flood. */
  seconds: number;
  perKey: number;
  perCompany: number;
  seed: number;
  /**
   * Judges that a flood gets all of its limit and that callers below theirs are never refused. On a machine that stands still for a while a
   * flood asks too little, and the others ask for too much at once.
   */
  judgesPace: boolean;
}

export interface LimitsResult {
  asked: number;
  /** The requests admitted, as a share of the limit; 1 is exactly the limit. */
  keyShare: number;
  companyShare: number;
  signIns: number;
  /** The share of the requests of callers within their limit that were admitted. */
  honestShare: number;
}

const PROCESSES = 3;
const BURST_SECONDS = 2;
const SIGN_INS = 30;
// The tolerated deviation of admitted requests from the limit, and the least share of honest requests that must be admitted.
const TOLERANCE = 0.01;
const HONEST_SHARE = 0.99;
// The number of concurrent loops per process; with the pause they send some ten times what one key may.
const LANES = 6;
const PAUSE_MS = 5;
// All keys of the company together may send this many times the limit of the company.
const KEYS_OVER_COMPANY = 1.5;
// An honest caller sends this share of its rate, and at the start this share of its burst.
const HONEST_RATE = 0.95;
const HONEST_BURST = 0.5;
const RHYTHM_MS = 20;
// The time limit for a first refusal, because a busy machine sends the burst slowly.
const REFUSED_MS = 60_000;

interface LimitsRun {
  stage: Stage;
  processes: PlatformProcess[];
  agent: Agent;
  chance: Chance;
  size: LimitsSize;
  asked: number;
}

export async function proveLimits(size: LimitsSize): Promise<LimitsResult> {
  return withStage({}, async (stage) => {
    const agent = new Agent({ connections: 2 * LANES });
    try {
      const env = {
        RATE_LIMIT_PER_KEY: String(size.perKey),
        RATE_LIMIT_PER_COMPANY: String(size.perCompany),
        RATE_LIMIT_LOGIN: String(SIGN_INS),
      };
      const processes = await Promise.all(Array.from({ length: PROCESSES }, () => stage.start('api', env)));
      const play: LimitsRun = { stage, processes, agent, chance: createChance(size.seed), size, asked: 0 };
      const key = await floodOneKey(play);
      const company = await floodCompanyKeys(play);
      const signIns = await floodLogIn(play);
      await assertRetryAdmitted(play);
      const honest = [...key.honest, ...company.honest];
      const honestShare = honest.filter((status) => status === 200).length / honest.length;
      if (size.judgesPace)
        assert.ok(honestShare >= HONEST_SHARE, `of the honest requests ${honestShare} were admitted`);
      return { asked: play.asked, keyShare: key.share, companyShare: company.share, signIns, honestShare };
    } finally {
      await agent.destroy();
    }
  });
}

interface FloodResult {
  share: number;
  /** The statuses that honest callers got during the flood. */
  honest: number[];
}

/** Floods one key, while another key of the same company and a key of another company stay within their limits. */
async function floodOneKey(play: LimitsRun): Promise<FloodResult> {
  const tenant = await play.stage.createTenant('Flooding');
  const [beside = ''] = await createKeys(play, tenant, 1);
  const other = await play.stage.createTenant('Other');
  const [share, ...honest] = await Promise.all([
    sendFlood(play, [tenant.key], play.size.perKey),
    sendWithinLimit(play, beside, play.size.perKey),
    sendWithinLimit(play, other.key, play.size.perKey),
  ]);
  return { share, honest: honest.flat() };
}

async function floodCompanyKeys(play: LimitsRun): Promise<FloodResult> {
  const { perKey, perCompany } = play.size;
  const tenant = await play.stage.createTenant('Busy');
  const keys = await createKeys(play, tenant, Math.ceil((KEYS_OVER_COMPANY * perCompany) / perKey));
  const other = await play.stage.createTenant('Another');
  const [share, honest] = await Promise.all([
    sendFlood(play, keys, perCompany),
    sendWithinLimit(play, other.key, perKey),
  ]);
  return { share, honest };
}

/** Creates keys, and waits until the rate buckets are full again after these requests. */
async function createKeys({ processes: [api] }: LimitsRun, tenant: Tenant, count: number): Promise<string[]> {
  const keys: string[] = [];
  while (keys.length < count) {
    const body = { name: 'proof', type: 'company', scopes: ['*'] };
    keys.push(
      ((await callUntilAccepted(201, 'POST', `${api?.url}/v1/api-keys`, { key: tenant.key, body })) as Json)
        .token as string,
    );
  }
  await sleep(BURST_SECONDS * 1_000);
  return keys;
}

/** The statuses of a request that gets this answer when it is admitted. A busy process answers 503, which admits nothing. */
const listAnswers = ({ size }: LimitsRun, admitted: number): number[] => [
  admitted,
  429,
  ...(size.judgesPace ? [] : [503]),
];

async function getWebhook(play: LimitsRun, process: PlatformProcess, key: string): Promise<number> {
  play.asked += 1;
  const headers = { authorization: `Bearer ${key}` };
  const { statusCode, body } = await request(`${process.url}/v1/webhooks`, { dispatcher: play.agent, headers });
  await body.dump();
  assert.ok(listAnswers(play, 200).includes(statusCode), `a request was answered ${statusCode}`);
  return statusCode;
}

/**
 * Floods with the keys and returns the admitted requests as a share of what `perSecond` allows. Each
 * loop ends only with a refusal, so that nothing is left to admit, however slow the machine was.
 */
async function sendFlood(play: LimitsRun, keys: string[], perSecond: number): Promise<number> {
  // The first requests open the database connections, so that the clocks of the proof and of the rate bucket begin together.
  const { key } = await play.stage.createTenant('First');
  for (const process of play.processes) await getWebhook(play, process, key);
  const started = performance.now();
  let firstAnswer = Number.POSITIVE_INFINITY;
  let lastAsk = started;
  let admitted = 0;
  const lane = async (process: PlatformProcess): Promise<void> => {
    for (let turn = play.chance.int(keys.length); ; turn += 1) {
      const asked = performance.now();
      const status = await getWebhook(play, process, keys[turn % keys.length] as string);
      firstAnswer = Math.min(firstAnswer, performance.now());
      if (status === 200) admitted += 1;
      else if (asked - started > play.size.seconds * 1_000) return void (lastAsk = Math.max(lastAsk, asked));
      else await sleep(PAUSE_MS);
    }
  };
  await Promise.all(play.processes.flatMap((process) => Array.from({ length: LANES }, () => lane(process))));
  // The rate bucket's time begins between the first request and its answer, and ends between the last request and its answer.
  const allowedIn = (fromMs: number, toMs: number): number => perSecond * (BURST_SECONDS + (toMs - fromMs) / 1_000);
  const most = allowedIn(started, performance.now());
  const least = allowedIn(firstAnswer, lastAsk);
  assert.ok(admitted <= most * (1 + TOLERANCE), `${admitted} admitted, ${most} allowed`);
  if (play.size.judgesPace) assert.ok(admitted >= least * (1 - TOLERANCE), `${admitted} admitted, ${least} due`);
  return Math.round((1_000 * admitted) / most) / 1_000;
}

/** Sends bursts within the limit to all processes, and returns the statuses. */
async function sendWithinLimit(play: LimitsRun, key: string, perSecond: number): Promise<number[]> {
  const started = performance.now();
  const statuses: Promise<number>[] = [];
  for (let secondsGone = 0; secondsGone < play.size.seconds; secondsGone = (performance.now() - started) / 1_000) {
    const due = perSecond * (HONEST_BURST * BURST_SECONDS + HONEST_RATE * secondsGone) - statuses.length;
    const burst = play.chance.int(Math.max(1, Math.floor(due)));
    for (let sent = 0; sent < burst; sent += 1) statuses.push(getWebhook(play, play.chance.pick(play.processes), key));
    await sleep(RHYTHM_MS);
  }
  return Promise.all(statuses);
}

/** Sends to all processes three times the log-ins that one address may send; only those of one minute are admitted. */
async function floodLogIn(play: LimitsRun): Promise<number> {
  const started = performance.now();
  const statuses = await Promise.all(
    Array.from({ length: PROCESSES * SIGN_INS }, async (_, number) => {
      play.asked += 1;
      const { url } = play.processes[number % PROCESSES] as PlatformProcess;
      const { statusCode, body } = await request(`${url}/v1/auth/login`, {
        method: 'POST',
        dispatcher: play.agent,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: `nobody-${number}@example.test`, password: 'wrong password' }),
      });
      await body.dump();
      return statusCode;
    }),
  );
  const tried = statuses.filter((status) => status === 401).length;
  assert.deepEqual(
    statuses.filter((status) => !listAnswers(play, 401).includes(status)),
    [],
  );
  const most = SIGN_INS * (1 + (performance.now() - started) / 60_000);
  assert.ok(tried <= most, `${tried} log-ins were tried, ${most} allowed`);
  if (play.size.judgesPace) assert.ok(tried >= SIGN_INS, `${tried} log-ins were tried, ${SIGN_INS} are due`);
  return tried;
}

/** Checks that a refusal contains when to retry, and that a caller which waits so long is admitted. */
async function assertRetryAdmitted(play: LimitsRun): Promise<void> {
  const { key } = await play.stage.createTenant('Patient');
  const [api, other] = play.processes as [PlatformProcess, PlatformProcess];
  const burst = BURST_SECONDS * play.size.perKey;
  const ask = async () => {
    const { status, headers, body } = await fetch(`${api.url}/v1/webhooks`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return { status, headers, problem: (await new Response(body).json()) as Json };
  };
  const sendBurst = async () => Promise.all(Array.from({ length: burst }, ask));
  const isRefused = ({ status }: { status: number }): boolean => status === 429;
  const refused = await waitUntil('a refusal', async () => (await sendBurst()).findLast(isRefused), REFUSED_MS);
  assert.equal(refused.problem.code, 'RATE_LIMITED');
  const header = (name: string): number => Number(refused.headers.get(name) ?? Number.NaN);
  assert.deepEqual([header('ratelimit-limit'), header('ratelimit-remaining')], [burst, 0]);
  assert.ok(header('ratelimit-reset') > 0 && header('retry-after') > 0);
  await sleep(header('retry-after') * 1_000);
  assert.equal(await getWebhook(play, other, key), 200);
}

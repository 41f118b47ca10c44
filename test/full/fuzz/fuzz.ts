/**
 * The contract fuzz: sends requests made from openapi.json, hostile texts and hostile bodies to a real process, many at a time. Each
 * request is determined by the seed and its number, except for the ids, which the process creates.
 */
import { Pool } from 'undici';
import { reportProgress } from '../../support/progress.ts';
import { createChance } from '../harness/chance.ts';
import { inLanes } from '../harness/network.ts';
import { onStage, type Stage } from '../harness/stage.ts';
import { callbackShot } from './callback-shots.ts';
import { readOperations, type Operation } from './document.ts';
import { formShot } from './form-shots.ts';
import { findFaults, type Answer } from './judge.ts';
import {
  brokenShot,
  fitShot,
  hostileShot,
  naughtyShot,
  queryShot,
  findTextFields,
  type Gun,
} from './operation-shots.ts';
import { findRawFaults, rawCases } from './raw.ts';
import { checkService, setScene, type Scene } from './scene.ts';
import { formatCurl, type Shot } from './shot.ts';
import {
  headerShot,
  largeShot,
  methodShot,
  packedShot,
  strayShot,
  surplusShot,
  tokenShot,
  typeShot,
} from './stray-shots.ts';
import { weigh } from './weigh.ts';

export interface FuzzSize {
  requests: number;
  seed: number;
}

export interface Finding {
  name: string;
  value: number;
  ok: boolean;
  /** For a reader: what went wrong, and the request as a shell command. */
  evidence?: string[];
}

// Together with the raw requests, half of the scene's connection pool.
const LANES = 16;
// The time limit of an answer, longer than any may take, so that a missing answer is noticed.
const ANSWER_MS = 15_000;
const RAW_EVERY = 100;
const RAW_LANES = 4;
const SHOWN = 12;
const REPORTED_EVERY = 10_000;
// By this share of the run every kind of request has run many times.
const WARM = 0.2;
const MOST_GROWTH = 1.1;
// The growth is reported for shorter runs as well, but not judged: a few MB of a cache that still fills would decide it.
const WEIGHED_FROM = 1_000_000;
// If one of these statuses never came, the code that answers with it would not have been tested.
const REACHED = [200, 201, 204, 400, 401, 403, 404, 405, 409, 413, 415, 422];

type Aim = (gun: Gun) => Shot;

/** The kinds of requests with their weights, about 100 in all. */
function listIdeas(operations: Operation[]): [weight: number, aim: Aim][] {
  const fields = findTextFields(operations);
  return [
    // Fitting requests are frequent, because most operations need records that other requests created.
    [22, fitShot],
    [24, brokenShot],
    [22, (gun) => naughtyShot(gun, fields)],
    [8, hostileShot],
    [9, queryShot],
    [4, strayShot],
    [2, methodShot],
    [2, typeShot],
    [1, surplusShot],
    [0.3, largeShot],
    [2, headerShot],
    [1.5, tokenShot],
    [0.5, packedShot],
    [9, callbackShot],
    [1, formShot],
  ];
}

interface Run {
  scene: Scene;
  seed: number;
  pool: Pool;
  operations: Operation[];
  ideas: [weight: number, aim: Aim][];
  /** The number of requests of each kind so far. */
  turns: Map<Aim, number>;
  statuses: Map<number, number>;
  broken: number;
  /** The first requests that broke a rule. */
  evidence: string[];
  /** Bytes that the process used once it was warm. */
  warm: number;
}

export async function runFuzz(size: FuzzSize): Promise<Finding[]> {
  return onStage({}, async (stage) => {
    const run = openRun(await setScene(stage), size.seed);
    try {
      await Promise.all([fire(run, size.requests), fireRaw(run, Math.ceil(size.requests / RAW_EVERY))]);
      if (run.scene.process.alive) await checkService(stage, run.scene);
      const after = await weigh(run.scene.process);
      return [...listFindings(run, size, after), await findFailures(run.scene), await findUnstorable(stage)];
    } finally {
      await run.pool.destroy();
    }
  });
}

function openRun(scene: Scene, seed: number): Run {
  const operations = readOperations();
  const limits = { connections: LANES, headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS };
  return {
    scene,
    seed,
    operations,
    pool: new Pool(scene.process.url, limits),
    ideas: listIdeas(operations),
    turns: new Map(),
    statuses: new Map(),
    broken: 0,
    evidence: [],
    warm: Number.NaN,
  };
}

async function fire(run: Run, requests: number): Promise<void> {
  const warmAt = Math.floor(requests * WARM);
  await inLanes(LANES, numbersBelow(requests), async (number) => {
    if (!run.scene.process.alive) return;
    if (number % REPORTED_EVERY === 0) reportProgress(`${number} of ${requests} requests`);
    if (number === warmAt) run.warm = await weigh(run.scene.process);
    const shot = buildShot(run, number);
    const answer = await answerTo(run.pool, shot);
    const faults = answer instanceof Error ? [`no answer: ${answer.message}`] : findFaults(shot, answer);
    if (!(answer instanceof Error)) {
      run.statuses.set(answer.status, (run.statuses.get(answer.status) ?? 0) + 1);
      learn(run.scene, shot, answer);
    }
    if (faults.length > 0)
      report(run, faults, `seed ${run.seed}, request ${number}, ${shot.idea}`, formatCurl(shot, run.scene.process.url));
  });
}

/** A generator, because a list of millions would need too much memory. */
function* numbersBelow(end: number): Generator<number> {
  for (let number = 0; number < end; number += 1) yield number;
}

/** Builds one request from its own random numbers, so that it does not depend on the order of other answers. */
function buildShot(run: Run, number: number): Shot {
  const chance = createChance((run.seed + Math.imul(number, 0x9e3779b1)) >>> 0);
  const total = run.ideas.reduce((sum, [weight]) => sum + weight, 0);
  let left = (chance.int(1_000_000) / 1_000_000) * total;
  const [, aim] = run.ideas.find(([weight]) => (left -= weight) < 0) ?? (run.ideas[0] as [number, Aim]);
  const turn = run.turns.get(aim) ?? 0;
  run.turns.set(aim, turn + 1);
  return boundPublic(aim({ scene: run.scene, operations: run.operations, chance, turn }));
}

// The largest body that an operation without a token reads.
const PUBLIC_LIMIT = 16 * 1024;

/** When a body is too large for its operation, the answer must report its size, whatever else is wrong. */
function boundPublic(shot: Shot): Shot {
  const isLarge = shot.operation?.secured === false && (shot.body?.length ?? 0) > PUBLIC_LIMIT;
  if (!isLarge || !shot.statuses?.includes(400)) return shot;
  const { names: _names, ...rest } = shot;
  return { ...rest, statuses: [413], codes: ['BODY_TOO_LARGE'] };
}

async function answerTo(pool: Pool, { method, path, headers, body }: Shot): Promise<Answer | Error> {
  try {
    const answer = await pool.request({ method: method as 'GET', path, headers, body });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  } catch (error) {
    // Failure policy: a missing answer is a finding, whatever the reason.
    return error as Error;
  }
}

/** Records that a request created may be used by later requests, and deleted ones are forgotten. */
function learn(
  { remember, forget, parents }: Scene,
  { operation, method, path }: Shot,
  { status, text }: Answer,
): void {
  const isMade = status === 201 && method === 'POST';
  if (!operation || !(isMade || (status === 200 && method === 'DELETE'))) return;
  const { _id } = JSON.parse(text) as { _id?: unknown };
  if (typeof _id !== 'string') return;
  for (const kind of operation.kinds) (isMade ? remember : forget)(kind, _id);
  if (!isMade) return;
  const [, table] = /^\/v1\/tables\/(\w+)\/\w+/.exec(path) ?? [];
  if (table !== undefined) parents.set(_id, table);
}

async function fireRaw(run: Run, rounds: number): Promise<void> {
  const token = run.scene.callers[0]?.headers['authorization']?.slice('Bearer '.length) ?? '';
  const cases = rawCases(token);
  const wanted = Array.from({ length: Math.max(rounds, cases.length) }, (_, index) => cases[index % cases.length]);
  await inLanes(RAW_LANES, wanted, async (raw) => {
    if (!raw || !run.scene.process.alive) return;
    const faults = await findRawFaults(run.scene.process.url, raw);
    if (faults.length > 0)
      report(
        run,
        faults,
        `raw: ${raw.name}`,
        JSON.stringify(raw.chunks.join('').slice(0, 500)).replaceAll(token, '$KEY'),
      );
  });
}

function report(run: Run, faults: string[], what: string, line: string): void {
  run.broken += 1;
  if (run.evidence.length < SHOWN) run.evidence.push(`${what}\n  ${faults.join('\n  ')}\n  ${line}`);
}

function listFindings(run: Run, { requests }: FuzzSize, after: number): Finding[] {
  const { scene, statuses } = run;
  const answered = [...statuses].filter(([status]) => status < 500).reduce((sum, [, count]) => sum + count, 0);
  const growth = Math.round((after / run.warm) * 100) / 100;
  const exits = scene.process.alive ? 0 : 1;
  return [
    { name: 'requests', value: requests, ok: true },
    { name: 'answered below 500', value: answered, ok: answered === requests },
    { name: 'broken invariants', value: run.broken, ok: run.broken === 0, evidence: run.evidence },
    { name: 'exits', value: exits, ok: exits === 0, ...(exits ? { evidence: scene.process.lines() } : {}) },
    { name: 'resident memory / warm', value: growth, ok: requests < WEIGHED_FROM || !(growth > MOST_GROWTH) },
    ...REACHED.map((status) => ({
      name: `answers ${status}`,
      value: statuses.get(status) ?? 0,
      ok: statuses.has(status),
    })),
  ];
}

/** The 5xx that the platform counted itself, including those whose caller had left, and the errors in the last lines of its log. */
async function findFailures({ process }: Scene): Promise<Finding> {
  // Failure policy: a process that has ended counts nothing; its end is another finding.
  const metrics = process.alive ? await (await fetch(`${process.url}/metrics`)).text() : '';
  const counted = metrics.split('\n').filter((line) => /^\w+_count\{.*status="5\d\d"/.test(line));
  const logged = process.lines().filter((line) => line.includes('"level":50'));
  const evidence = [...counted, ...logged];
  return { name: 'failures that it counted or logged', value: evidence.length, ok: evidence.length === 0, evidence };
}

// Words of the database's errors; a callback that the translator could not read has other reasons.
const STORE_WORDS = 'violates|out of range|invalid|too long|duplicate key|index row|unsupported|does not exist|cannot';

/** Elements that were translated but could not be stored, which the translator should have refused. */
async function findUnstorable({ store }: Stage): Promise<Finding> {
  const rows = await store.sql<{ reason: string }>('select distinct reason from callbacks_aside where reason ~ $1', [
    STORE_WORDS,
  ]);
  return {
    name: 'reasons why an element could not be stored',
    value: rows.length,
    ok: rows.length === 0,
    evidence: rows.map(({ reason }) => reason),
  };
}

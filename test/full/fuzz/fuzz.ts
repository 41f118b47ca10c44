/**
 * The contract fuzz: sends requests made from openapi.json, hostile texts and hostile bodies to a real process, many at a time. Each
 * request is determined by the seed and its number, except for the ids, which the process creates.
 */
import { Pool } from 'undici';
import { readAnswerText } from '../../support/answer-text.ts';
import { reportProgress } from '../../support/progress.ts';
import { createChance } from '../harness/chance.ts';
import { runConcurrently } from '../harness/network.ts';
import { withStage, type Stage } from '../harness/stage.ts';
import { buildCallbackRequest } from './callback-shots.ts';
import { readOperations, type Operation } from './document.ts';
import { buildFormRequest } from './form-shots.ts';
import { findFaults, type Answer } from './judge.ts';
import {
  buildBrokenBodyRequest,
  buildValidRequest,
  buildHostileBodyRequest,
  buildHostileTextRequest,
  buildBrokenQueryRequest,
  findTextFields,
  type RequestContext,
} from './operation-shots.ts';
import { findRawFaults, listRawCases } from './raw.ts';
import { checkService, createScene, type Scene } from './scene.ts';
import { formatCurl, type FuzzRequest } from './shot.ts';
import {
  buildUnusualHeaderRequest,
  buildLargeBodyRequest,
  buildWrongMethodRequest,
  buildCompressedRequest,
  buildUnknownPathRequest,
  buildUnexpectedBodyRequest,
  buildWrongTokenRequest,
  buildWrongContentTypeRequest,
} from './stray-shots.ts';
import { measureMemoryAfterCollection } from './weigh.ts';

export interface FuzzSize {
  requests: number;
  seed: number;
}

export interface Finding {
  name: string;
  value: number;
  ok: boolean;
  /** What went wrong, as text for a person, and the request as a shell command. */
  evidence?: string[];
}

// The fuzz uses half of the platform's connection pool, together with the requests on raw sockets.
const LANES = 16;
// The time limit of an answer, longer than any may take, so that a missing answer is noticed.
const ANSWER_MS = 15_000;
const RAW_EVERY = 100;
const RAW_LANES = 4;
const SHOWN = 12;
const REPORTED_EVERY = 10_000;
// After this share of the requests, every kind of request has been sent many times, so the process needs no more memory for new kinds.
const WARM = 0.2;
const MOST_GROWTH = 1.1;
// In shorter runs the growth of the memory is only reported: a few MB of a cache that still fills would decide the result.
const WEIGHED_FROM = 1_000_000;
// Each of these statuses has to be answered at least once; otherwise the code that answers it was not tested.
const REACHED = [200, 201, 204, 400, 401, 403, 404, 405, 409, 413, 415, 422];

type BuildRequest = (gun: RequestContext) => FuzzRequest;

/** Lists the kinds of requests, each with its weight; the weights add up to about 100. */
function listRequestKinds(operations: Operation[]): [weight: number, aim: BuildRequest][] {
  const fields = findTextFields(operations);
  return [
    // Valid requests are frequent, because most operations need records that other requests created.
    [22, buildValidRequest],
    [24, buildBrokenBodyRequest],
    [22, (gun) => buildHostileTextRequest(gun, fields)],
    [8, buildHostileBodyRequest],
    [9, buildBrokenQueryRequest],
    [4, buildUnknownPathRequest],
    [2, buildWrongMethodRequest],
    [2, buildWrongContentTypeRequest],
    [1, buildUnexpectedBodyRequest],
    [0.3, buildLargeBodyRequest],
    [2, buildUnusualHeaderRequest],
    [1.5, buildWrongTokenRequest],
    [0.5, buildCompressedRequest],
    [9, buildCallbackRequest],
    [1, buildFormRequest],
  ];
}

interface FuzzRun {
  scene: Scene;
  seed: number;
  pool: Pool;
  operations: Operation[];
  ideas: [weight: number, aim: BuildRequest][];
  /** The number of requests of each kind so far. */
  turns: Map<BuildRequest, number>;
  statuses: Map<number, number>;
  broken: number;
  /** Descriptions of the first requests whose answers broke a rule. */
  evidence: string[];
  /** The memory of the process in bytes, measured after the first fifth of the requests. */
  warm: number;
}

export async function runFuzz(size: FuzzSize): Promise<Finding[]> {
  return withStage({}, async (stage) => {
    const run = startRun(await createScene(stage), size.seed);
    try {
      await Promise.all([
        sendGeneratedRequests(run, size.requests),
        sendRawRequests(run, Math.ceil(size.requests / RAW_EVERY)),
      ]);
      if (run.scene.process.alive) await checkService(stage, run.scene);
      const after = await measureMemoryAfterCollection(run.scene.process);
      return [
        ...listFindings(run, size, after),
        await findServerErrors(run.scene),
        await findUnstorableElements(stage),
      ];
    } finally {
      await run.pool.destroy();
    }
  });
}

function startRun(scene: Scene, seed: number): FuzzRun {
  const operations = readOperations();
  const limits = { connections: LANES, headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS };
  return {
    scene,
    seed,
    operations,
    pool: new Pool(scene.process.url, limits),
    ideas: listRequestKinds(operations),
    turns: new Map(),
    statuses: new Map(),
    broken: 0,
    evidence: [],
    warm: Number.NaN,
  };
}

async function sendGeneratedRequests(run: FuzzRun, requests: number): Promise<void> {
  const warmAt = Math.floor(requests * WARM);
  await runConcurrently(LANES, countUpTo(requests), async (number) => {
    if (!run.scene.process.alive) return;
    if (number % REPORTED_EVERY === 0) reportProgress(`${number} of ${requests} requests`);
    if (number === warmAt) run.warm = await measureMemoryAfterCollection(run.scene.process);
    const shot = buildRequest(run, number);
    const answer = await sendRequest(run.pool, shot);
    const faults = answer instanceof Error ? [`no answer: ${answer.message}`] : findFaults(shot, answer);
    if (!(answer instanceof Error)) {
      run.statuses.set(answer.status, (run.statuses.get(answer.status) ?? 0) + 1);
      rememberRecords(run.scene, shot, answer);
    }
    if (faults.length > 0)
      recordFaults(
        run,
        faults,
        `seed ${run.seed}, request ${number}, ${shot.idea}`,
        formatCurl(shot, run.scene.process.url),
      );
  });
}

/** This is a generator, because a list of millions of numbers would need too much memory. */
function* countUpTo(end: number): Generator<number> {
  for (let number = 0; number < end; number += 1) yield number;
}

/** Builds one request from random numbers that depend only on its own number, so that the order of the answers has no influence. */
function buildRequest(run: FuzzRun, number: number): FuzzRequest {
  const chance = createChance((run.seed + Math.imul(number, 0x9e3779b1)) >>> 0);
  const total = run.ideas.reduce((sum, [weight]) => sum + weight, 0);
  let left = (chance.int(1_000_000) / 1_000_000) * total;
  const [, aim] = run.ideas.find(([weight]) => (left -= weight) < 0) ?? (run.ideas[0] as [number, BuildRequest]);
  const turn = run.turns.get(aim) ?? 0;
  run.turns.set(aim, turn + 1);
  return expectTooLargeBody(aim({ scene: run.scene, operations: run.operations, chance, turn }));
}

// The largest body that an operation without a token reads.
const PUBLIC_LIMIT = 16 * 1024;

/** Expects 413 for a body that is too large for its operation, whatever else is wrong with it. */
function expectTooLargeBody(shot: FuzzRequest): FuzzRequest {
  const isLarge = shot.operation?.secured === false && (shot.body?.length ?? 0) > PUBLIC_LIMIT;
  if (!isLarge || !shot.statuses?.includes(400)) return shot;
  const { names: _names, ...rest } = shot;
  return { ...rest, statuses: [413], codes: ['BODY_TOO_LARGE'] };
}

async function sendRequest(pool: Pool, { method, path, headers, body }: FuzzRequest): Promise<Answer | Error> {
  try {
    const answer = await pool.request({ method: method as 'GET', path, headers, body });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: await readAnswerText(answer.headers['content-type'], answer.body),
    };
  } catch (error) {
    // Failure policy: a missing answer is a finding, whatever the reason.
    return error as Error;
  }
}

/** Remembers the record that a request has created, so that later requests use it, and forgets a deleted one. */
function rememberRecords(
  { remember, forget, parents }: Scene,
  { operation, method, path }: FuzzRequest,
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

async function sendRawRequests(run: FuzzRun, rounds: number): Promise<void> {
  const token = run.scene.callers[0]?.headers['authorization']?.slice('Bearer '.length) ?? '';
  const cases = listRawCases(token);
  const wanted = Array.from({ length: Math.max(rounds, cases.length) }, (_, index) => cases[index % cases.length]);
  await runConcurrently(RAW_LANES, wanted, async (raw) => {
    if (!raw || !run.scene.process.alive) return;
    const faults = await findRawFaults(run.scene.process.url, raw);
    if (faults.length > 0)
      recordFaults(
        run,
        faults,
        `raw: ${raw.name}`,
        JSON.stringify(raw.chunks.join('').slice(0, 500)).replaceAll(token, '$KEY'),
      );
  });
}

function recordFaults(run: FuzzRun, faults: string[], what: string, line: string): void {
  run.broken += 1;
  if (run.evidence.length < SHOWN) run.evidence.push(`${what}\n  ${faults.join('\n  ')}\n  ${line}`);
}

function listFindings(run: FuzzRun, { requests }: FuzzSize, after: number): Finding[] {
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

/**
 * Returns the 5xx answers that the platform counted itself, including those whose caller had left, and the errors in the last lines of its
 * log.
 */
async function findServerErrors({ process }: Scene): Promise<Finding> {
  // Failure policy: a process that has ended counts nothing; its end is another finding.
  const metrics = process.alive ? await (await fetch(`${process.url}/metrics`)).text() : '';
  const counted = metrics.split('\n').filter((line) => /^\w+_count\{.*status="5\d\d"/.test(line));
  const logged = process.lines().filter((line) => line.includes('"level":50'));
  const evidence = [...counted, ...logged];
  return { name: 'failures that it counted or logged', value: evidence.length, ok: evidence.length === 0, evidence };
}

// Words that the database uses in its errors. A callback that the platform could not read has other reasons.
const STORE_WORDS = 'violates|out of range|invalid|too long|duplicate key|index row|unsupported|does not exist|cannot';

/** Returns the reasons why callback elements could be read but not stored; the code that reads callbacks should have refused them. */
async function findUnstorableElements({ store }: Stage): Promise<Finding> {
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

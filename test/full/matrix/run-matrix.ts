/**
 * The tenancy matrix: every operation of openapi.json, once as it is served and once for each wall that is left to stand
 * alone. Last, with no wall at all, every operation must be seen to leak: the matrix is not blind.
 */
import assert from 'node:assert/strict';
import { openPlatform, type Platform } from '../../support/platform.ts';
import { silenceNetwork } from '../../support/traffic.ts';
import type { Account, Pair } from './asking.ts';
import { createCallers, type Caller, type Callers } from './callers.ts';
import { createSide } from './companies.ts';
import { readOperations, type Operation } from './document.ts';
import { positionsOf, proveIsolation, proveRightful } from './isolation.ts';
import { isList, proveLists } from './lists.ts';
import { ENTRIES } from './operations.ts';
import { proveProperties } from './properties.ts';
import { measureDenials } from './timing.ts';
import { openPolicies, relaxKeys, removePredicates } from './walls.ts';

export type MatrixSize = 'small' | 'ci' | 'full';

export interface Figure {
  name: string;
  value: number | string;
  ok: boolean;
}

/** Pairs of companies that are played against each other, and pairs of requests that are timed. */
const SIZES: Record<MatrixSize, { companies: number; timed: number }> = {
  small: { companies: 1, timed: 0 },
  ci: { companies: 2, timed: 2_000 },
  full: { companies: 5, timed: 2_000 },
};

/** One row per promise and wall; not a row is left out when another one breaks. */
export async function runMatrix(size: MatrixSize): Promise<Figure[]> {
  const { companies, timed } = SIZES[size];
  const served = await onPlatform(false, async (platform) => [
    ...(await rows('as served', platform, companies, timed)),
    ...(await withoutPolicies(platform, companies)),
  ]);
  const underRls = await onPlatform(true, async (platform) => [
    ...(await rows('every statement under RLS', platform, companies)),
    ...(await withoutPredicates(platform, companies)),
  ]);
  return [...served, ...underRls];
}

/** The figures by name; throws what broke. */
export async function proveTenancy(size: MatrixSize): Promise<Record<string, number | string>> {
  const figures = await runMatrix(size);
  const broken = figures.filter(({ ok }) => !ok);
  assert.deepEqual(broken, [], 'the tenancy matrix');
  return Object.fromEntries(figures.map(({ name, value }) => [name, value]));
}

async function onPlatform<T>(readsUnderRls: boolean, play: (platform: Platform) => Promise<T>): Promise<T> {
  const env = { OUTBOUND_ALLOW: '127.0.0.0/8' };
  const { platform, close } = await openPlatform({ readsUnderRls, env });
  try {
    // No status of the network comes by itself: what is compared before and after is at rest.
    await silenceNetwork(platform);
    return await play(platform);
  } finally {
    await close();
  }
}

async function operationsOf(platform: Platform): Promise<Operation[]> {
  const operations = readOperations((await platform.call(200, 'GET', '/openapi.json', { key: null })).body);
  const gone = Object.keys(ENTRIES).filter((name) => !operations.some((operation) => operation.name === name));
  if (gone.length > 0) throw new Error(`the table names operations that are gone: ${gone.join()}`);
  return operations;
}

/** Both companies of a pair ask for the other's. */
async function createPairs(platform: Platform, count: number): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let index = 0; index < count; index += 1) {
    const [own, other] = [await createSide(platform), await createSide(platform)];
    pairs.push({ platform, own, other });
  }
  return pairs;
}

const PROMISES = {
  'foreign is unknown': proveIsolation,
  'rightful requests': proveRightful,
  lists: proveLists,
  'unknown and read-only properties': (pair: Pair, callers: Callers, operation: Operation, account: Account) =>
    proveProperties(pair, callers.allowed[0] as Caller, operation, account),
};

async function rows(mode: string, platform: Platform, count: number, timed = 0): Promise<Figure[]> {
  const operations = await operationsOf(platform);
  const accounts = new Map<string, Account>();
  const pairs = await createPairs(platform, count);
  for (const pair of pairs) {
    const callers = await createCallers(platform, pair.own, pair.other);
    for (const [promise, prove] of Object.entries(PROMISES)) {
      const account = accounts.get(promise) ?? { asked: 0, faults: [] };
      accounts.set(promise, account);
      for (const operation of operations) await prove(pair, callers, operation, account);
    }
  }
  const figures = [...accounts].flatMap(([promise, account]) => figuresOf(`${mode}: ${promise}`, account));
  const [pair] = pairs;
  return timed > 0 && pair ? [...figures, ...(await timingRow(mode, pair, operations, timed))] : figures;
}

async function timingRow(mode: string, pair: Pair, operations: Operation[], timed: number): Promise<Figure[]> {
  const { allowed } = await createCallers(pair.platform, pair.own, pair.other);
  const { account, differenceMs } = await measureDenials(pair, allowed[0] as Caller, operations, timed);
  const name = `${mode}: denials take the same time`;
  return [...figuresOf(name, account), { name: `${name}, ms`, value: Number(differenceMs.toFixed(3)), ok: true }];
}

// More would only repeat what the first ones say.
const SHOWN_FAULTS = 5;

function figuresOf(name: string, { asked, faults }: Account): Figure[] {
  const shown = [`${faults.length} faults`, ...faults.slice(0, SHOWN_FAULTS)].join('\n');
  return [
    { name: `${name}, requests`, value: asked, ok: asked > 0 },
    { name: `${name}, faults`, value: faults.length === 0 ? 0 : shown, ok: faults.length === 0 },
  ];
}

/** Row-level security alone. */
async function withoutPredicates(platform: Platform, count: number): Promise<Figure[]> {
  const removal = removePredicates();
  try {
    const figures = await rows('RLS alone', platform, count);
    // Every statement of the operations that names a company, or next to nothing would have been proven.
    const ok = removal.touched.size >= Object.keys(ENTRIES).length;
    return [...figures, { name: 'RLS alone: statements without their predicate', value: removal.touched.size, ok }];
  } finally {
    removal.restore();
  }
}

/** Predicates and keys alone; and at the end nothing at all. */
async function withoutPolicies(platform: Platform, count: number): Promise<Figure[]> {
  await openPolicies(platform);
  const figures = await rows('predicates alone', platform, count);
  await relaxKeys(platform);
  const removal = removePredicates();
  try {
    return [...figures, await blindSpots(platform)];
  } finally {
    removal.restore();
  }
}

/** Operations that name or list records, and through which nothing was seen although no wall stood. */
async function blindSpots(platform: Platform): Promise<Figure> {
  const operations = await operationsOf(platform);
  const blind: string[] = [];
  const [pair] = await createPairs(platform, 1);
  assert.ok(pair);
  const callers = await createCallers(platform, pair.own, pair.other);
  for (const operation of operations) {
    if (positionsOf(operation).length === 0) continue;
    const account: Account = { asked: 0, faults: [] };
    await proveIsolation(pair, callers, operation, account);
    if (isList(operation)) await proveLists(pair, callers, operation, account);
    if (account.faults.length === 0) blind.push(operation.name);
  }
  const name = 'without any wall: operations that leak unseen';
  return { name, value: blind.length === 0 ? 0 : blind.join(), ok: blind.length === 0 };
}

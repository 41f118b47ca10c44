/**
 * The tenancy matrix: every operation of openapi.json, once as it is served, and once with each protection between companies alone.
 * Finally, without any protection, the matrix must detect a leak in every operation.
 */
import assert from 'node:assert/strict';
import { pino } from 'pino';
import { openPlatform, type Platform } from '../../support/platform.ts';
import { reportProgress } from '../../support/progress.ts';
import { silenceNetwork } from '../../support/traffic.ts';
import { reachesAll, type Account, type Pair } from './asking.ts';
import { createCallers, allowedOnly, oneOfEachKind, globalKeysOnly, type Callers } from './callers.ts';
import { createSide } from './companies.ts';
import { chooseInDepth } from './depth.ts';
import { readOperations, type Operation } from './document.ts';
import { proveGlobals } from './globals.ts';
import { proveIsolation, proveRightful } from './isolation.ts';
import { isList, proveLists } from './lists.ts';
import { findPositions } from './positions.ts';
import { proveProperties } from './properties.ts';
import { SAMPLES } from './samples.ts';
import { proveSheets } from './sheets.ts';
import { measureDenials } from './timing.ts';
import { proveVisitors } from './visitors.ts';
import { openPolicies, relaxKeys, removePredicates } from './walls.ts';

export type MatrixSize = 'small' | 'ci' | 'full';

export interface Figure {
  name: string;
  value: number | string;
  ok: boolean;
}

interface Extent {
  /** The number of pairs of companies. */
  pairs: number;
  /** Whether every caller tries every place, for each protection anew; otherwise one caller of each kind does. */
  everything: boolean;
  /** The number of pairs of requests for each operation whose times are compared. */
  timed: number;
  /** Where not everything is tried: the seed that draws operations to try in depth, beside those that this branch has changed. */
  seed: number;
}

const EXTENTS: Record<MatrixSize, Omit<Extent, 'seed'>> = {
  small: { pairs: 1, everything: false, timed: 0 },
  ci: { pairs: 2, everything: true, timed: 2_000 },
  full: { pairs: 5, everything: true, timed: 2_000 },
};

/** Returns one figure for each promise and protection; a failure does not prevent the others. */
export async function runMatrix(size: MatrixSize, seed = 0): Promise<Figure[]> {
  const extent = { ...EXTENTS[size], seed };
  const served = await onPlatform(false, async (platform) => [
    ...(await rows(SERVED, platform, extent)),
    ...(await withoutPolicies(platform, { ...extent, timed: 0 })),
  ]);
  const underRls = await onPlatform(true, async (platform) => [
    ...(await rows('every statement under RLS', platform, { ...extent, timed: 0 })),
    ...(await withoutPredicates(platform, { ...extent, timed: 0 })),
  ]);
  return [...served, ...underRls];
}

/** Returns the figures by name; throws when a promise is broken. */
export async function proveTenancy(size: MatrixSize): Promise<Record<string, number | string>> {
  const figures = await runMatrix(size);
  const broken = figures.filter(({ ok }) => !ok);
  assert.deepEqual(broken, [], 'the tenancy matrix');
  return Object.fromEntries(figures.map(({ name, value }) => [name, value]));
}

async function onPlatform(readsUnderRls: boolean, play: (platform: Platform) => Promise<Figure[]>): Promise<Figure[]> {
  const logged: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  const { platform, close } = await openPlatform({ readsUnderRls, log, env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
  try {
    // Stops statuses of the network, because they would change what is compared before and after.
    await silenceNetwork(platform);
    const figures = await play(platform);
    const { body: metrics } = await platform.call(200, 'GET', '/metrics', { key: null });
    const told = [...logged, ...String(metrics).split('\n')].filter((line) => PLANTED.test(line));
    const name = `${figures[0]?.name.split(':')[0]}: what is private, in logs and metrics`;
    return [
      ...figures,
      {
        name,
        value: told.length === 0 ? 0 : told.slice(0, SHOWN_FAULTS).join('\n'),
        ok: told.length === 0 && logged.length > 0,
      },
    ];
  } finally {
    await close();
  }
}

// Planted words, network tokens, contacts' numbers, our own tokens and passwords, as test/support and companies.ts write them.
const PLANTED = /planted[0-9a-f]{16}|token-9\d{9}|\b55119\d{8}\b|eyJ[\w-]+\.[\w-]+\.|correct horse battery/;

async function listOperations(platform: Platform): Promise<Operation[]> {
  const operations = readOperations((await platform.call(200, 'GET', '/openapi.json', { key: null })).body);
  const gone = Object.keys(SAMPLES).filter((name) => !operations.some((operation) => operation.name === name));
  if (gone.length > 0) throw new Error(`samples.ts names operations that are gone: ${gone.join()}`);
  return operations;
}

/** Creates companies with a record of every kind; in each pair one tries to reach the other's records. */
async function createPairs(platform: Platform, count: number): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let index = 0; index < count; index += 1) {
    const [own, other] = [await createSide(platform), await createSide(platform)];
    pairs.push({ platform, own, other });
  }
  return pairs;
}

const SERVED = 'as served';
const SHAPES = 'unknown and read-only properties';
const PROMISES = {
  'foreign is unknown': proveIsolation,
  'rightful requests': proveRightful,
  lists: proveLists,
  [SHAPES]: proveProperties,
};
/** Promises that are not checked operation by operation. */
const OTHERS = {
  'what belongs to no company': proveGlobals,
  'without a token': proveVisitors,
  'ids in a sheet': proveSheets,
};

/** The callers of a run: with a single protection only those who may send requests, unless everything is tried anew. */
function chooseCallers(mode: string, extent: Extent, everybody: Callers): Callers {
  if (extent.everything) return everybody;
  return oneOfEachKind(mode === SERVED ? everybody : allowedOnly(everybody));
}

async function rows(mode: string, platform: Platform, extent: Extent): Promise<Figure[]> {
  const operations = await listOperations(platform);
  const accounts = new Map<string, Account>();
  const inDepth = extent.everything ? operations : chooseInDepth(operations, extent.seed);
  const pairs = await createPairs(platform, extent.pairs);
  for (const pair of pairs) {
    const everybody = await createCallers(platform, pair.own, pair.other);
    const callers = chooseCallers(mode, extent, everybody);
    for (const [promise, prove] of Object.entries(PROMISES)) {
      reportProgress(`${mode}: ${promise}`);
      // Properties are refused before any protection is reached.
      if (promise === SHAPES && mode !== SERVED && !extent.everything) continue;
      const account = accounts.get(promise) ?? { asked: 0, faults: [] };
      accounts.set(promise, account);
      // Elsewhere the matrix asks only with an id of the other company and an unknown one.
      for (const operation of promise === SHAPES ? inDepth : operations)
        await prove(pair, inDepth.includes(operation) ? callers : { ...callers, brief: true }, operation, account);
    }
    for (const [promise, prove] of Object.entries(OTHERS)) {
      const account = accounts.get(promise) ?? { asked: 0, faults: [] };
      accounts.set(promise, account);
      await prove(pair, operations, account);
    }
  }
  const figures = [...accounts].flatMap(([promise, account]) => listFigures(`${mode}: ${promise}`, account));
  const [pair] = pairs;
  return extent.timed > 0 && pair ? [...figures, ...(await timingRow(mode, pair, operations, extent.timed))] : figures;
}

async function timingRow(mode: string, pair: Pair, operations: Operation[], timed: number): Promise<Figure[]> {
  const callers = await createCallers(pair.platform, pair.own, pair.other);
  const { account, differenceMs } = await measureDenials(pair, callers, operations, timed);
  const name = `${mode}: denials take the same time`;
  return [...listFigures(name, account), { name: `${name}, ms`, value: Number(differenceMs.toFixed(3)), ok: true }];
}

// The most faults to show: more would only repeat the first ones.
const SHOWN_FAULTS = 5;

function listFigures(name: string, { asked, faults }: Account): Figure[] {
  const shown = [`${faults.length} faults`, ...faults.slice(0, SHOWN_FAULTS)].join('\n');
  return [
    { name: `${name}, requests`, value: asked, ok: asked > 0 },
    { name: `${name}, faults`, value: faults.length === 0 ? 0 : shown, ok: faults.length === 0 },
  ];
}

/** Tests row-level security alone, with the company conditions removed from the statements. */
async function withoutPredicates(platform: Platform, extent: Extent): Promise<Figure[]> {
  const removal = removePredicates();
  try {
    const figures = await rows('RLS alone', platform, extent);
    // The conditions of all statements of the operations must be removed; otherwise hardly anything would be proven.
    const least = (await listOperations(platform)).filter(({ codes }) => codes.has('COMPANY_ID_REQUIRED')).length;
    const ok = removal.touched.size >= least;
    return [...figures, { name: 'RLS alone: statements without their predicate', value: removal.touched.size, ok }];
  } finally {
    removal.restore();
  }
}

/** Tests company conditions and keys alone, and then no protection at all. */
async function withoutPolicies(platform: Platform, extent: Extent): Promise<Figure[]> {
  await openPolicies(platform);
  const figures = await rows('predicates alone', platform, extent);
  await relaxKeys(platform);
  const removal = removePredicates();
  try {
    return [...figures, await findBlindSpots(platform)];
  } finally {
    removal.restore();
  }
}

/**
 * Operations that name or list records, but show no leak although no protection is left. Where a caller's kind is the protection, another
 * kind of caller is used.
 */
async function findBlindSpots(platform: Platform): Promise<Figure> {
  const operations = await listOperations(platform);
  const blind: string[] = [];
  // Without protection a deletion also deletes the other company's records, so it comes last, and inner records come before outer ones.
  const rank = ({ disposes, method, params }: Operation): number =>
    disposes ? (method === 'DELETE' ? 2 : 1) / params.length : 0;
  const inOrder = operations.toSorted((a, b) => rank(a) - rank(b));
  // A limit without a company condition would count the records that other runs have left.
  await platform.database.sql(`update pipelines set retired = true where name = 'Sales'`);
  const [pair] = await createPairs(platform, 1);
  assert.ok(pair);
  const callers = allowedOnly(await createCallers(platform, pair.own, pair.other));
  for (const operation of inOrder) {
    // At a public operation the password is the protection, and no caller comes without one.
    if (!operation.secured || findPositions(operation).length === 0) continue;
    const account: Account = { asked: 0, faults: [] };
    const comers = reachesAll(operation) ? globalKeysOnly(callers) : callers;
    await proveIsolation(pair, comers, operation, account);
    if (isList(operation)) await proveLists(pair, comers, operation, account);
    if (account.faults.length === 0) blind.push(operation.name);
  }
  const name = 'without any wall: operations that leak unseen';
  return { name, value: blind.length === 0 ? 0 : blind.join(), ok: blind.length === 0 };
}

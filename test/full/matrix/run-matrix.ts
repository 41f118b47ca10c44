/**
 * The tenancy matrix: every operation of openapi.json, once as it is served and once for each wall that is left to stand
 * alone. Last, with no wall at all, every operation must be seen to leak: the matrix is not blind.
 */
import assert from 'node:assert/strict';
import { pino } from 'pino';
import { openPlatform, type Platform } from '../../support/platform.ts';
import { reportProgress } from '../../support/progress.ts';
import { silenceNetwork } from '../../support/traffic.ts';
import { entryOf, type Account, type Pair } from './asking.ts';
import { createCallers, insiders, kinds, unwalled, type Callers } from './callers.ts';
import { createSide } from './companies.ts';
import { readOperations, type Operation } from './document.ts';
import { proveGlobals } from './globals.ts';
import { positionsOf, proveIsolation, proveRightful } from './isolation.ts';
import { isList, proveLists } from './lists.ts';
import { ENTRIES } from './operations.ts';
import { proveProperties } from './properties.ts';
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
  /** Pairs of companies that are played against each other. */
  pairs: number;
  /** Whether everybody asks at every place, and for each wall anew; else one of each kind does. */
  everything: boolean;
  /** Pairs of requests whose times are compared, per operation. */
  timed: number;
}

const EXTENTS: Record<MatrixSize, Extent> = {
  small: { pairs: 1, everything: false, timed: 0 },
  ci: { pairs: 2, everything: true, timed: 2_000 },
  full: { pairs: 5, everything: true, timed: 2_000 },
};

/** One row per promise and wall; not a row is left out when another one breaks. */
export async function runMatrix(size: MatrixSize): Promise<Figure[]> {
  const extent = EXTENTS[size];
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

/** The figures by name; throws what broke. */
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
    // No status of the network comes by itself: what is compared before and after is at rest.
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

// Planted words, tokens of the network, numbers of contacts, tokens and passwords of ours: as test/support and companies.ts write them.
const PLANTED = /planted[0-9a-f]{16}|token-9\d{9}|\b55119\d{8}\b|eyJ[\w-]+\.[\w-]+\.|correct horse battery/;

async function operationsOf(platform: Platform): Promise<Operation[]> {
  const operations = readOperations((await platform.call(200, 'GET', '/openapi.json', { key: null })).body);
  const gone = Object.keys(ENTRIES).filter((name) => !operations.some((operation) => operation.name === name));
  if (gone.length > 0) throw new Error(`the table names operations that are gone: ${gone.join()}`);
  return operations;
}

/** Companies with a record of every kind; in each pair one asks for what is the other's. */
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
/** What is not said operation by operation. */
const OTHERS = {
  'what belongs to no company': proveGlobals,
  'without a token': proveVisitors,
  'ids in a sheet': proveSheets,
};

/** Who comes: for a wall alone, where not everything is asked for anew, only those who may ask reach it. */
function callersOf(mode: string, extent: Extent, everybody: Callers): Callers {
  if (extent.everything) return everybody;
  return kinds(mode === SERVED ? everybody : insiders(everybody));
}

async function rows(mode: string, platform: Platform, extent: Extent): Promise<Figure[]> {
  const operations = await operationsOf(platform);
  const accounts = new Map<string, Account>();
  const pairs = await createPairs(platform, extent.pairs);
  for (const pair of pairs) {
    const everybody = await createCallers(platform, pair.own, pair.other);
    const callers = callersOf(mode, extent, everybody);
    for (const [promise, prove] of Object.entries(PROMISES)) {
      reportProgress(`${mode}: ${promise}`);
      // A property is refused before any wall is reached.
      if (promise === SHAPES && mode !== SERVED && !extent.everything) continue;
      const account = accounts.get(promise) ?? { asked: 0, faults: [] };
      accounts.set(promise, account);
      for (const operation of operations) await prove(pair, callers, operation, account);
    }
    for (const [promise, prove] of Object.entries(OTHERS)) {
      const account = accounts.get(promise) ?? { asked: 0, faults: [] };
      accounts.set(promise, account);
      await prove(pair, operations, account);
    }
  }
  const figures = [...accounts].flatMap(([promise, account]) => figuresOf(`${mode}: ${promise}`, account));
  const [pair] = pairs;
  return extent.timed > 0 && pair ? [...figures, ...(await timingRow(mode, pair, operations, extent.timed))] : figures;
}

async function timingRow(mode: string, pair: Pair, operations: Operation[], timed: number): Promise<Figure[]> {
  const callers = await createCallers(pair.platform, pair.own, pair.other);
  const { account, differenceMs } = await measureDenials(pair, callers, operations, timed);
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
async function withoutPredicates(platform: Platform, extent: Extent): Promise<Figure[]> {
  const removal = removePredicates();
  try {
    const figures = await rows('RLS alone', platform, extent);
    // Every statement of the operations that names a company, or next to nothing would have been proven.
    const least = Object.values(ENTRIES).filter(({ door }) => door === undefined).length;
    const ok = removal.touched.size >= least;
    return [...figures, { name: 'RLS alone: statements without their predicate', value: removal.touched.size, ok }];
  } finally {
    removal.restore();
  }
}

/** Predicates and keys alone; and at the end nothing at all. */
async function withoutPolicies(platform: Platform, extent: Extent): Promise<Figure[]> {
  await openPolicies(platform);
  const figures = await rows('predicates alone', platform, extent);
  await relaxKeys(platform);
  const removal = removePredicates();
  try {
    return [...figures, await blindSpots(platform)];
  } finally {
    removal.restore();
  }
}

/**
 * Operations that name or list records, and through which nothing was seen although no wall stood. Where the wall is not one of
 * the database's but the caller's own kind, a caller comes for whom it does not stand.
 */
async function blindSpots(platform: Platform): Promise<Figure> {
  const operations = await operationsOf(platform);
  const blind: string[] = [];
  // What takes records away takes the other company's, too, where no wall stands: it comes last, what is inside before what holds it.
  const turnOf = (operation: Operation): number => (entryOf(operation).disposes ? 1 / operation.params.length : 0);
  const inOrder = operations.toSorted((a, b) => turnOf(a) - turnOf(b));
  // A limit that knows no company counts what all companies of the other runs have left.
  await platform.database.sql(`update pipelines set retired = true where name = 'Sales'`);
  const [pair] = await createPairs(platform, 1);
  assert.ok(pair);
  const callers = insiders(await createCallers(platform, pair.own, pair.other));
  for (const operation of inOrder) {
    // At a public door the password is the wall, and no caller comes without one.
    if (entryOf(operation).door === 'public' || positionsOf(operation).length === 0) continue;
    const account: Account = { asked: 0, faults: [] };
    const comers = entryOf(operation).reachesAll ? unwalled(callers) : callers;
    await proveIsolation(pair, comers, operation, account);
    if (isList(operation)) await proveLists(pair, comers, operation, account);
    if (account.faults.length === 0) blind.push(operation.name);
  }
  const name = 'without any wall: operations that leak unseen';
  return { name, value: blind.length === 0 ? 0 : blind.join(), ok: blind.length === 0 };
}

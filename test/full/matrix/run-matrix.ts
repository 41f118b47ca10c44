/**
 * The tenancy matrix. It tries every operation of openapi.json, once on the platform as it is, and then with each protection between
 * companies alone. Finally all protections are removed, and the matrix must detect a leak in every operation.
 */
import assert from 'node:assert/strict';
import { pino } from 'pino';
import { openPlatform, type Platform } from '../../support/platform.ts';
import { reportProgress } from '../../support/progress.ts';
import { openModel, say, sendJson } from '../../support/model.ts';
import { silenceNetwork } from '../../support/traffic.ts';
import { reachesAllCompanies, type Findings, type CompanyPair } from './asking.ts';
import {
  createCallers,
  keepAllowedCallers,
  keepOneInTurn,
  keepOneOfEachKind,
  keepGlobalKeys,
  type Callers,
} from './callers.ts';
import { createFullCompany } from './companies.ts';
import { chooseInDepth } from './depth.ts';
import { readOperations, type Operation } from './document.ts';
import { checkEvolution } from './evolution.ts';
import { checkGlobals } from './globals.ts';
import { checkIsolation, checkAllowedCallersSucceed } from './isolation.ts';
import { isList, checkLists } from './lists.ts';
import { findPositions } from './positions.ts';
import { checkUnknownProperties } from './properties.ts';
import { SAMPLES } from './samples.ts';
import { checkScopes } from './scopes.ts';
import { checkSheets } from './sheets.ts';
import { checkTools } from './tools.ts';
import { measureDenials } from './timing.ts';
import { checkPublicOperations } from './visitors.ts';
import { disablePolicies, removeCompanyFromKeys, removePredicates } from './walls.ts';

export type MatrixSize = 'brief' | 'small' | 'ci' | 'full';

export interface Figure {
  name: string;
  value: number | string;
  ok: boolean;
}

interface MatrixExtent {
  /** The number of pairs of companies that are tried. */
  pairs: number;
  /** True when every caller tries every place again for each protection; otherwise one caller of each kind does. */
  everything: boolean;
  /** For each operation, the number of pairs of requests whose times are compared. */
  timed: number;
  /** Where not everything is tried: one in so many operations is tried in depth, and with each protection alone. */
  drawn: number;
  /** The seed that draws these operations. */
  seed: number;
  /** True when a single caller of each kind tries an operation that is not tried in depth, another one for each operation. */
  isBrief: boolean;
}

const EXTENTS: Record<MatrixSize, Omit<MatrixExtent, 'seed'>> = {
  brief: { pairs: 1, everything: false, timed: 0, drawn: 24, isBrief: true },
  small: { pairs: 1, everything: false, timed: 0, drawn: 8, isBrief: false },
  ci: { pairs: 2, everything: true, timed: 2_000, drawn: 1, isBrief: false },
  full: { pairs: 5, everything: true, timed: 2_000, drawn: 1, isBrief: false },
};

/** Returns one figure for each promise and protection. A broken promise does not end the run. */
export async function runMatrix(size: MatrixSize, seed = 0): Promise<Figure[]> {
  const extent = { ...EXTENTS[size], seed };
  const served = await withPlatform(false, async (platform) => [
    ...(await runPromises(SERVED, platform, extent)),
    ...(await testPredicatesAlone(platform, { ...extent, timed: 0 })),
  ]);
  const underRls = await withPlatform(true, async (platform) => [
    // Without the conditions of the statements, the policies have to do all that they do beside them.
    ...(extent.isBrief ? [] : await runPromises('every statement under RLS', platform, { ...extent, timed: 0 })),
    ...(await testPoliciesAlone(platform, { ...extent, timed: 0 })),
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

async function withPlatform(
  readsUnderRls: boolean,
  play: (platform: Platform) => Promise<Figure[]>,
): Promise<Figure[]> {
  const logged: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  // What a model writes has nothing to do with what it reads.
  const model = await openModel((_call, response) => sendJson(response, say('Hello')));
  const env = { AI_BASE_URL: model.url, AI_MODEL: 'small' };
  const { platform, close } = await openPlatform({ readsUnderRls, log, env });
  try {
    // The network stops reporting statuses, because they would change the data that is compared before and after.
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
    model.close();
  }
}

// Texts that the log must not contain: the companies' unique words, network tokens, contacts' numbers, our own tokens and passwords.
const PLANTED = /planted[0-9a-f]{16}|token-9\d{9}|\b55119\d{8}\b|eyJ[\w-]+\.[\w-]+\.|correct horse battery/;

async function listOperations(platform: Platform): Promise<Operation[]> {
  const operations = readOperations((await platform.call(200, 'GET', '/openapi.json', { key: null })).body);
  const gone = Object.keys(SAMPLES).filter((name) => !operations.some((operation) => operation.name === name));
  if (gone.length > 0) throw new Error(`samples.ts names operations that are gone: ${gone.join()}`);
  return operations;
}

/** Creates companies with a record of every kind; in each pair one tries to reach the other's records. */
async function createPairs(platform: Platform, count: number): Promise<CompanyPair[]> {
  const pairs: CompanyPair[] = [];
  for (let index = 0; index < count; index += 1) {
    const [own, other] = [await createFullCompany(platform), await createFullCompany(platform)];
    pairs.push({ platform, own, other });
  }
  return pairs;
}

const SERVED = 'as served';
const SHAPES = 'unknown and read-only properties';
const PROMISES = {
  'foreign is unknown': checkIsolation,
  'rightful requests': checkAllowedCallersSucceed,
  lists: checkLists,
  [SHAPES]: checkUnknownProperties,
};
/** Promises that are not checked for each operation. */
const OTHERS = {
  'what belongs to no company': checkGlobals,
  'without a token': checkPublicOperations,
  'ids in a sheet': checkSheets,
  'ids in a tool': checkTools,
  'ids at the door of Evolution': checkEvolution,
  'one scope alone': checkScopes,
};

/**
 * Chooses the callers of a run. When only one protection is active, these are the callers who may send requests, unless everything is
 * tried.
 */
function chooseCallers(mode: string, extent: MatrixExtent, everybody: Callers): Callers {
  if (extent.everything) return everybody;
  return keepOneOfEachKind(mode === SERVED ? everybody : keepAllowedCallers(everybody));
}

const chooseDrawn = (operations: Operation[], { everything, drawn, seed }: MatrixExtent): Operation[] =>
  everything ? operations : chooseInDepth(operations, drawn, seed);

async function runPromises(mode: string, platform: Platform, extent: MatrixExtent): Promise<Figure[]> {
  const all = await listOperations(platform);
  const accounts = new Map<string, Findings>();
  const inDepth = chooseDrawn(all, extent);
  const operations = mode === SERVED ? all : inDepth;
  const pairs = await createPairs(platform, extent.pairs);
  for (const pair of pairs) {
    const everybody = await createCallers(platform, pair.own, pair.other);
    const callers = chooseCallers(mode, extent, everybody);
    const few = { ...(extent.isBrief ? keepOneInTurn(callers) : callers), brief: true as const };
    for (const [promise, prove] of Object.entries(PROMISES)) {
      reportProgress(`${mode}: ${promise}`);
      // Unknown properties are refused before any protection is reached.
      if (promise === SHAPES && mode !== SERVED && !extent.everything) continue;
      const account = accounts.get(promise) ?? { asked: 0, faults: [] };
      accounts.set(promise, account);
      // Operations that are not tried in depth are tried only with an id of the other company and an unknown id.
      for (const operation of promise === SHAPES ? inDepth : operations)
        await prove(pair, inDepth.includes(operation) ? callers : few, operation, account);
    }
    for (const [promise, prove] of Object.entries(OTHERS)) {
      if (mode !== SERVED && (extent.isBrief || prove === checkScopes)) continue;
      const account = accounts.get(promise) ?? { asked: 0, faults: [] };
      accounts.set(promise, account);
      await prove(pair, all, account);
    }
  }
  const figures = [...accounts].flatMap(([promise, account]) => listFigures(`${mode}: ${promise}`, account));
  const [pair] = pairs;
  return extent.timed > 0 && pair
    ? [...figures, ...(await compareTimes(mode, pair, operations, extent.timed))]
    : figures;
}

async function compareTimes(
  mode: string,
  pair: CompanyPair,
  operations: Operation[],
  timed: number,
): Promise<Figure[]> {
  const callers = await createCallers(pair.platform, pair.own, pair.other);
  const { account, differenceMs } = await measureDenials(pair, callers, operations, timed);
  const name = `${mode}: denials take the same time`;
  return [...listFigures(name, account), { name: `${name}, ms`, value: Number(differenceMs.toFixed(3)), ok: true }];
}

// The most faults that are shown, because more would only repeat the first ones.
const SHOWN_FAULTS = 5;

function listFigures(name: string, { asked, faults }: Findings): Figure[] {
  const shown = [`${faults.length} faults`, ...faults.slice(0, SHOWN_FAULTS)].join('\n');
  return [
    { name: `${name}, requests`, value: asked, ok: asked > 0 },
    { name: `${name}, faults`, value: faults.length === 0 ? 0 : shown, ok: faults.length === 0 },
  ];
}

/** Tests row-level security alone, with the company conditions removed from the statements. */
async function testPoliciesAlone(platform: Platform, extent: MatrixExtent): Promise<Figure[]> {
  const removal = removePredicates();
  try {
    const figures = await runPromises('RLS alone', platform, extent);
    // The conditions of all statements of these operations must be removed; otherwise the test would prove hardly anything.
    const tried = chooseDrawn(await listOperations(platform), extent);
    const least = tried.filter(({ codes }) => codes.has('COMPANY_ID_REQUIRED')).length;
    const ok = removal.touched.size >= least;
    return [...figures, { name: 'RLS alone: statements without their predicate', value: removal.touched.size, ok }];
  } finally {
    removal.restore();
  }
}

/** Tests the company conditions and keys alone, and then no protection at all. */
async function testPredicatesAlone(platform: Platform, extent: MatrixExtent): Promise<Figure[]> {
  await disablePolicies(platform);
  const figures = await runPromises('predicates alone', platform, extent);
  // The last pair is created with walls, because background work would wait for others without them.
  const [pair] = await createPairs(platform, 1);
  assert.ok(pair);
  await removeCompanyFromKeys(platform);
  const removal = removePredicates();
  try {
    return [...figures, await findBlindSpots(pair, extent)];
  } finally {
    removal.restore();
  }
}

/**
 * Finds the operations that name or list records and still show no leak when no protection is left. Where the kind of caller is the
 * protection, another kind of caller is used.
 */
async function findBlindSpots(pair: CompanyPair, extent: MatrixExtent): Promise<Figure> {
  const { platform } = pair;
  const operations = chooseDrawn(await listOperations(platform), extent);
  const blind: string[] = [];
  // Without protection a deletion also deletes the other company's records, so deletions come last, and inner records come before outer
  // ones.
  const rank = ({ disposes, method, params }: Operation): number =>
    disposes ? (method === 'DELETE' ? 2 : 1) / params.length : 0;
  const inOrder = operations.toSorted((a, b) => rank(a) - rank(b));
  // The limits on pipelines and MCP servers have no company condition now, so they would count those of other runs.
  await platform.database.sql(`update pipelines set retired = true where name = 'Sales'`);
  const ids = [pair.own._id, pair.other._id];
  await platform.database.sql('delete from mcp_servers where company_id <> all($1::text[])', [ids]);
  const callers = keepAllowedCallers(await createCallers(platform, pair.own, pair.other));
  for (const operation of inOrder) {
    // At a public operation the password is the protection, and every caller has to give one.
    if (!operation.secured || findPositions(operation).length === 0 || SAMPLES[operation.name]?.isOfCaller) continue;
    const account: Findings = { asked: 0, faults: [] };
    const comers = reachesAllCompanies(operation) ? keepGlobalKeys(callers) : callers;
    await checkIsolation(pair, comers, operation, account);
    if (isList(operation)) await checkLists(pair, comers, operation, account);
    if (account.faults.length === 0) blind.push(operation.name);
  }
  const name = 'without any wall: operations that leak unseen';
  return { name, value: blind.length === 0 ? 0 : blind.join(), ok: blind.length === 0 };
}

/**
 * Prepares a long PDF for the search, and reads its item meanwhile as a page of the console does: its `meta` says how far it is. A child
 * process reads the pages, so the event loop of the process beside it has nearly as much time left as without a document.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../../support/platform.ts';
import { makeTextPdf } from '../../support/pdf.ts';
import { createChance, type Chance } from '../harness/chance.ts';
import { medianShare } from '../harness/percentile.ts';
import { call, withStage, type Tenant } from '../harness/stage.ts';
import { makeMeasurementEnv, readMeasurements } from '../harness/vitals.ts';

export interface DocumentsSize {
  pages: number;
  /** How often a document is prepared, each time followed by as long a time without one. */
  rounds: number;
  judgesPace: boolean;
  seed: number;
}

export interface DocumentsFigures {
  documents: number;
  pages: number;
  passages: number;
  /** The fewest different states of progress that were seen of a document. */
  leastSteps: number;
  slowestMs: number;
  /** The median share of the time in which the event loop was idle, beside a document and without one. */
  besideIdle: number;
  aloneIdle: number;
  /** The longest time that the event loop computed without a pause beside a document. */
  busyMs: number;
}

const LOOK_MS = 40;
const READY_MS = 180_000;
/** How much of the idle time may be taken: what stores the passages and makes their vectors runs in the process itself. */
const LEAST_SHARE = 0.7;
const WORDS = 'cake bread oven flour sugar butter delivery sunday order price kilo dozen bakery street morning'.split(
  ' ',
);

interface Run {
  url: string;
  tenant: Tenant;
  socket: string;
  pdf: Buffer;
  pages: number;
}

export async function proveDocuments({ pages, rounds, judgesPace, seed }: DocumentsSize): Promise<DocumentsFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-documents-'));
  try {
    return await withStage({}, async (stage) => {
      const socket = join(folder, 'pulse');
      const { url } = await stage.start('all', { DATABASE_POOL: '10', ...makeMeasurementEnv(socket) });
      const pdf = writeManual(createChance(seed), pages);
      const run: Run = { url, tenant: await stage.createTenant('Bakery'), socket, pdf, pages };
      // The first document compiles code and starts a child process, so it is not measured.
      await prepareOne(run);
      const prepared: Prepared[] = [];
      const alone: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const one = await prepareOne(run);
        prepared.push(one);
        alone.push(await watchAlone(run, one));
      }
      const figures = addUp(prepared, alone, pages);
      const isIdle = figures.besideIdle >= LEAST_SHARE * figures.aloneIdle;
      assert.ok(!judgesPace || isIdle, `idle for ${figures.besideIdle} beside a document, ${figures.aloneIdle} alone`);
      return figures;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const writeManual = (chance: Chance, pages: number): Buffer =>
  makeTextPdf(
    Array.from({ length: pages }, (_, page) => [
      `Page ${page + 1}`,
      ...Array.from({ length: 45 }, () => Array.from({ length: 11 }, () => chance.pick(WORDS)).join(' ')),
    ]),
  );

interface Prepared {
  item: string;
  passages: number;
  steps: number;
  ms: number;
  idleShare: number;
  busyMs: number;
}

async function prepareOne(run: Run): Promise<Prepared> {
  const { tenant, socket, pages } = run;
  await readMeasurements(socket);
  const started = performance.now();
  const { _id: item } = await upload(run);
  const seen: number[] = [];
  const ready = await watch(run, item, (record) => {
    assert.notEqual(record.status, 'ERROR', JSON.stringify(record.error));
    const { pages: known, pagesRead } = record.meta;
    if (pagesRead !== undefined && pagesRead !== seen.at(-1)) seen.push(pagesRead);
    if (known !== undefined) assert.equal(known, pages);
    return record.status === 'READY';
  });
  const ms = performance.now() - started;
  const measured = await readMeasurements(socket);
  assert.deepEqual(
    seen,
    seen.toSorted((one, other) => one - other),
    'the progress goes back',
  );
  assert.equal(ready.meta.pagesRead, pages);
  await call(200, 'DELETE', `${run.url}/v1/knowledge/${item}`, { key: tenant.key });
  const { idleShare = 0, busyMs = 0 } = measured ?? {};
  return { item, passages: ready.chunk_count, steps: new Set(seen).size, ms, idleShare, busyMs };
}

async function upload({ url, tenant, pdf }: Run): Promise<Json> {
  const form = new FormData();
  form.set('name', 'Manual');
  form.set('file', new Blob([new Uint8Array(pdf)], { type: 'application/pdf' }), 'manual.pdf');
  const headers = { authorization: `Bearer ${tenant.key}` };
  const answer = await fetch(`${url}/v1/knowledge/upload`, { method: 'POST', headers, body: form });
  const item = (await answer.json()) as Json;
  assert.equal(answer.status, 201, JSON.stringify(item));
  return item;
}

/** Reads a record of the company again and again until it is as it should be. */
async function watch({ url, tenant }: Run, item: string, isOver: (record: Json) => boolean): Promise<Json> {
  const deadline = performance.now() + READY_MS;
  for (;;) {
    const record = await call(200, 'GET', `${url}/v1/knowledge/${item}`, { key: tenant.key });
    if (isOver(record)) return record;
    assert.ok(performance.now() < deadline, 'the document is not ready');
    await sleep(LOOK_MS);
  }
}

/** Reads a short item as often and as long as the document was read. Returns the idle share. */
async function watchAlone(run: Run, { ms }: Prepared): Promise<number> {
  const { url, tenant, socket } = run;
  const body = { name: 'Hours', content: 'We open at nine.' };
  const { _id: item } = await call(201, 'POST', `${url}/v1/knowledge/autcl`, { key: tenant.key, body });
  await watch(run, item, ({ status }) => status === 'READY');
  await readMeasurements(socket);
  const until = performance.now() + ms;
  await watch(run, item, () => performance.now() >= until);
  const measured = await readMeasurements(socket);
  await call(200, 'DELETE', `${url}/v1/knowledge/${item}`, { key: tenant.key });
  return measured?.idleShare ?? 0;
}

function addUp(prepared: Prepared[], alone: number[], pages: number): DocumentsFigures {
  const leastSteps = Math.min(...prepared.map(({ steps }) => steps));
  assert.ok(leastSteps >= 3, `the progress was seen in ${leastSteps} states only`);
  return {
    documents: prepared.length,
    pages,
    passages: prepared[0]?.passages ?? 0,
    leastSteps,
    slowestMs: Math.round(Math.max(...prepared.map(({ ms }) => ms))),
    besideIdle: medianShare(prepared.map(({ idleShare }) => idleShare)),
    aloneIdle: medianShare(alone),
    busyMs: Math.round(Math.max(...prepared.map(({ busyMs }) => busyMs))),
  };
}

/**
 * Benchmark (live): how much slower callbacks are stored while somebody watches their company from another process, how long a change takes
 * to the watcher, and what a thousand watchers cost.
 */
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { openCallbackCaller, postOncePerPerson } from './callbacks.ts';
import { measureRate, median, makeRatioFigure, percentile, type Figure } from './measure.ts';
import { measureResidentMb, spawnProgram, type BenchStage, type SpawnedProgram } from './stage.ts';

const WIDTH = 64;
const PEOPLE = 2_000;
const ROUNDS = 5;
const ROUND_MS = 3_000;
const CHANGES = 100;
const CHANGES_TO_ALL = 20;
const WATCHERS = 1_000;
const LATE_MS = 400;

export async function benchLive(stage: BenchStage): Promise<Figure[]> {
  const api = await spawnProgram('src/launch.js', ['api'], stage.env);
  // Behind a proxy there is no limit of connections for each address.
  const watched = await spawnProgram('src/launch.js', ['api'], {
    ...stage.env,
    TRUSTED_PROXIES: '127.0.0.1',
    CONNECTIONS: '8000',
  });
  try {
    return [
      await measureIngestion(stage, api, watched),
      await measureDelay(stage, api, watched),
      ...(await measureWatchers(stage, api, watched)),
    ];
  } finally {
    await api.stop();
    await watched.stop();
  }
}

async function measureIngestion(stage: BenchStage, api: SpawnedProgram, watched: SpawnedProgram): Promise<Figure> {
  const caller = openCallbackCaller(api.url, stage, { connections: WIDTH, people: PEOPLE });
  await postOncePerPerson(caller.call, WIDTH, PEOPLE);
  const rates = { alone: [] as number[], watched: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.alone.push(await measureRate(caller.call, WIDTH, ROUND_MS));
    const watcher = await watch(stage, watched);
    rates.watched.push(await measureRate(caller.call, WIDTH, ROUND_MS));
    watcher.close();
    // Otherwise changes would be noted for three more hours.
    await stage.database.sql('delete from live_companies');
  }
  await caller.close();
  return makeRatioFigure('(live) callbacks stored, watched / alone', median(rates.watched), median(rates.alone), 0.95);
}

async function measureDelay(stage: BenchStage, api: SpawnedProgram, watched: SpawnedProgram): Promise<Figure> {
  const watcher = await watch(stage, watched);
  const contact = await createContact(stage, api);
  const times: number[] = [];
  for (let change = 0; change < CHANGES; change += 1) times.push(await measureChange(stage, api, contact, [watcher]));
  watcher.close();
  const late = percentile(times, 95);
  return {
    name: '(live) a change in another process, to a watcher',
    value: `p50 ${median(times).toFixed(0)} ms, p95 ${late.toFixed(0)} ms`,
    goal: `p95 <= ${LATE_MS} ms`,
    met: late <= LATE_MS,
  };
}

async function measureWatchers(stage: BenchStage, api: SpawnedProgram, watched: SpawnedProgram): Promise<Figure[]> {
  const beforeMb = await measureResidentMb(watched);
  const watchers: Watcher[] = [];
  while (watchers.length < WATCHERS)
    watchers.push(...(await Promise.all(Array.from({ length: 50 }, () => watch(stage, watched)))));
  const contact = await createContact(stage, api);
  const times: number[] = [];
  for (let change = 0; change < CHANGES_TO_ALL; change += 1)
    times.push(await measureChange(stage, api, contact, watchers));
  const kilobytes = ((await measureResidentMb(watched)) - beforeMb) * (1_024 / WATCHERS);
  for (const watcher of watchers) watcher.close();
  return [
    {
      name: `(live) a change, to the last of ${WATCHERS} watchers`,
      value: `p50 ${median(times).toFixed(0)} ms, p95 ${percentile(times, 95).toFixed(0)} ms`,
      goal: 'reported',
      met: true,
    },
    {
      name: '(live) memory of a watcher',
      value: `${kilobytes.toFixed(0)} kB`,
      goal: 'reported',
      met: true,
    },
  ];
}

interface Watcher {
  /** Resolves when a text has arrived that contains this one. */
  waitFor(text: string): Promise<void>;
  close(): void;
}

async function watch({ key }: BenchStage, { url }: SpawnedProgram): Promise<Watcher> {
  const call: ClientRequest = request(`${url}/v1/live`, {
    agent: false,
    headers: { authorization: `Bearer ${key}` },
  }).end();
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  let wanted = '';
  let found = (): void => undefined;
  // Closing the connection ends the answer with an error.
  answer.on('error', () => undefined);
  call.on('error', () => undefined);
  answer.setEncoding('utf8').on('data', (text: string) => {
    if (wanted !== '' && text.includes(wanted)) found();
  });
  const waitFor = (text: string): Promise<void> => {
    wanted = text;
    return new Promise((resolve) => (found = resolve));
  };
  await waitFor('event: ready');
  return { waitFor, close: () => void call.destroy() };
}

let names = 0;

async function createContact(stage: BenchStage, api: SpawnedProgram): Promise<string> {
  names += 1;
  const body = { name: 'Ana', external_id: `live-${names}` };
  return ((await callApi(stage, api, { method: 'POST', path: '/v1/contacts', body })) as { _id: string })._id;
}

/** Returns the milliseconds from the answer to a change until all watchers have received it. */
async function measureChange(
  stage: BenchStage,
  api: SpawnedProgram,
  contact: string,
  watchers: Watcher[],
): Promise<number> {
  names += 1;
  const name = `Ana ${names}.`;
  const arrived = Promise.all(watchers.map((watcher) => watcher.waitFor(name)));
  await callApi(stage, api, { method: 'PATCH', path: `/v1/contacts/${contact}`, body: { name } });
  const startedMs = performance.now();
  await arrived;
  const tookMs = performance.now() - startedMs;
  await sleep(100);
  return tookMs;
}

async function callApi(
  { key }: BenchStage,
  { url }: SpawnedProgram,
  { method, path, body }: { method: string; path: string; body: object },
): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}`);
  return response.json();
}

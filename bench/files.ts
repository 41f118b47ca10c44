/**
 * Benchmark (files): how much more memory the API's process needs while a file of 100 MB is uploaded as an attachment, and while its link
 * is downloaded. Bytes that are held instead of passed on would show as a multiple of the file.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { measureResidentMb, spawnProgram, type SpawnedProgram, type BenchStage } from './stage.ts';
import type { Figure } from './measure.ts';

const MEGABYTE = 1024 * 1024;
/** The largest document that is accepted. */
const FILE_MB = 100;
/** The file before the measurement: large enough for the process to compile its code, and to fill its buffers and its young generation. */
const WARM_MB = 20;
const WARM_ROUNDS = 3;
const GROWTH_MB = 20;
const LOOK_MS = 20;

export async function benchFiles(stage: BenchStage): Promise<Figure[]> {
  const api = await spawnProgram('src/launch.js', ['api'], { ...stage.env, RATE_LIMIT_FILES: '1000000' });
  try {
    for (let round = 0; round < WARM_ROUNDS; round += 1) await download(await upload(stage, api, WARM_MB), WARM_MB);
    const { value: link, ...uploaded } = await watchMemory(api, () => upload(stage, api, FILE_MB));
    const downloaded = await watchMemory(api, () => download(link, FILE_MB));
    return [makeFigure('uploaded', uploaded), makeFigure('downloaded', downloaded)];
  } finally {
    await api.stop();
  }
}

/** Uploads a text of so many megabytes, and returns its public link. */
async function upload(stage: BenchStage, api: SpawnedProgram, megabytes: number): Promise<string> {
  const body = new FormData();
  body.set('fileType', 'DOCUMENT');
  body.set('file', new Blob([Buffer.alloc(megabytes * MEGABYTE, 'Bread and coffee. ')]), 'long.txt');
  const headers = { authorization: `Bearer ${stage.key}` };
  const response = await fetch(`${api.url}/v1/resource/upload-attachment`, { method: 'POST', headers, body });
  const record = (await response.json()) as { external_url: string };
  if (response.status !== 201) throw new Error(`the upload was answered ${response.status}: ${JSON.stringify(record)}`);
  return new URL(new URL(record.external_url).pathname, api.url).href;
}

async function download(link: string, megabytes: number): Promise<void> {
  const response = await fetch(link);
  let bytes = 0;
  for await (const piece of response.body ?? []) bytes += (piece as Uint8Array).length;
  if (bytes !== megabytes * MEGABYTE) throw new Error(`${bytes} bytes were downloaded`);
}

interface Watched<T> {
  value: T;
  beforeMb: number;
  growthMb: number;
  seconds: number;
}

/** Runs `work`, and measures by how much the memory of a process grows meanwhile at most. */
async function watchMemory<T>(process: SpawnedProgram, work: () => Promise<T>): Promise<Watched<T>> {
  const beforeMb = await measureResidentMb(process);
  const started = performance.now();
  let mostMb = beforeMb;
  const done = new AbortController();
  const watch = async (): Promise<void> => {
    while (!done.signal.aborted) {
      mostMb = Math.max(mostMb, await measureResidentMb(process));
      await sleep(LOOK_MS);
    }
  };
  const [value] = await Promise.all([work().finally(() => done.abort()), watch()]);
  return { value, beforeMb, growthMb: mostMb - beforeMb, seconds: (performance.now() - started) / 1000 };
}

const makeFigure = (what: string, { beforeMb, growthMb, seconds }: Omit<Watched<unknown>, 'value'>): Figure => ({
  name: `(files) memory, ${FILE_MB} MB ${what}`,
  value: `${growthMb.toFixed(1)} MB above ${Math.round(beforeMb)}, ${seconds.toFixed(1)} s`,
  goal: `<= ${GROWTH_MB} MB`,
  met: growthMb <= GROWTH_MB,
});

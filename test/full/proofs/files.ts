/**
 * Uploads files that lie: every format under the names and media types of others, with other files behind them, under names that lead
 * elsewhere, without an end, and many at once. What is stored has the type of its contents and lies in the store.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeSamples, type Sample } from '../../support/media-samples.ts';
import { HURRIED } from '../../support/platform.ts';
import { buildForm } from '../../support/sheets.ts';
import { createChance, type Chance } from '../harness/chance.ts';
import { runConcurrently } from '../harness/network.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { fetchUntilAccepted } from '../../support/until-accepted.ts';
import { withStage, type Stage, type Tenant } from '../harness/stage.ts';
import { watchMemory } from '../harness/vitals.ts';

export interface FilesSize {
  /** With how many false names and media types each format is uploaded. */
  disguises: number;
  names: number;
  /** How many uploads run at the same moment. */
  atOnce: number;
  seed: number;
}

export interface FilesFigures {
  disguises: number;
  stored: number;
  refused: number;
  names: number;
  atOnceGrownMb: number;
}

interface Uploading {
  stage: Stage;
  api: PlatformProcess;
  tenant: Tenant;
  chance: Chance;
  folder: string;
}

interface Answer {
  status: number;
  body: { external_url: string; storage_key: string; extension: string; meta: { mimeType: string; fileName: string } };
}

const UPLOAD = '/v1/resource/upload-attachment';
const LANES = 4;
const GROWTH_MB = 64;
const ANSWER_MS = 30_000;
// 1.6 MB a second.
const PUSH_MS = 10;

export async function proveFiles(size: FilesSize): Promise<FilesFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-files-'));
  try {
    return await withStage({}, async (stage) => {
      const limits = { RATE_LIMIT_FILES: '1000000', DATABASE_POOL: '20' };
      const api = await stage.start('api', { DATA_DIR: folder, ...HURRIED, ...limits });
      const tenant = await stage.createTenant('Uploader');
      const uploading = { stage, api, tenant, chance: createChance(size.seed), folder };
      const ownFiles = await listFiles(folder);
      const disguised = await uploadDisguised(uploading, size.disguises);
      await uploadNamed(uploading, size.names);
      await uploadEndless(uploading);
      const atOnceGrownMb = await uploadAtOnce(uploading, size.atOnce);
      await checkStore(uploading, ownFiles);
      assert.ok(api.alive);
      return { ...disguised, names: size.names, atOnceGrownMb };
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Uploads a form. */
async function upload({ api, tenant }: Uploading, body: FormData | string, boundary?: string): Promise<Answer> {
  const type = boundary === undefined ? {} : { 'content-type': `multipart/form-data; boundary=${boundary}` };
  const headers = { authorization: `Bearer ${tenant.key}`, ...type };
  const answer = await fetchUntilAccepted(api.url + UPLOAD, () => ({ method: 'POST', headers, body }));
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

/** Uploads each format as if it was another one, some with the file of another one behind them. */
async function uploadDisguised(
  uploading: Uploading,
  each: number,
): Promise<Pick<FilesFigures, 'disguises' | 'stored' | 'refused'>> {
  const { chance, api } = uploading;
  const samples = await makeSamples();
  const counts = { disguises: samples.length * each, stored: 0, refused: 0 };
  const uploads = samples.flatMap((sample) => Array.from({ length: each }, () => sample));
  await runConcurrently(LANES, uploads, async (sample: Sample) => {
    const other = chance.pick(samples.filter(({ format }) => format !== sample.format));
    const data = chance.int(2) === 0 ? sample.data : Buffer.concat([sample.data, other.data]);
    const file = { name: `file.${other.extension}`, type: other.mimeType, data };
    const claim = chance.int(2) === 0 ? {} : { fileType: other.fileType };
    const { status, body } = await upload(uploading, buildForm({ ...claim, file }));
    if (status === 201) {
      counts.stored += 1;
      assert.deepEqual(
        [body.meta.mimeType, body.extension],
        [sample.mimeType, sample.extension],
        `${sample.format} as ${other.format}`,
      );
      const served = await fetchUntilAccepted(new URL(new URL(body.external_url).pathname, api.url));
      await served.arrayBuffer();
      assert.equal(served.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(served.headers.get('content-type')?.split(';')[0], sample.mimeType);
    } else {
      counts.refused += 1;
      assert.equal(status, 400, JSON.stringify(body));
    }
  });
  return counts;
}

const UPWARDS = ['..', '%2e%2e', '..%00', '.%2e', '..;', '\u2025', '．．', '%c0%ae%c0%ae', '..\u0000', '\u202e..'];
const SLASHES = ['/', '\\', '%2f', '%5c', '%252f', '\u2215', '／', '//', '\\\\', '/./'];
const TARGETS = ['etc/passwd', 'secrets.json', 'credentials.json', '.unfinished/x', 'x.txt'];

/** Uploads under names that lead out of a folder in some system. Where such a name is taken, it is only a text. */
async function uploadNamed(uploading: Uploading, count: number): Promise<void> {
  const { chance } = uploading;
  const names = Array.from({ length: count }, () => {
    const way = `${chance.pick(UPWARDS)}${chance.pick(SLASHES)}`.repeat(1 + chance.int(8));
    return `${chance.pick(['', '/', 'C:\\', 'file:///', '~/'])}${way}${chance.pick(TARGETS)}`;
  });
  await runConcurrently(LANES, names, async (name) => {
    const escaped = name.replaceAll('\\', '\\\\');
    const head = `--x\r\ncontent-disposition: form-data; name="file"; filename="${escaped}"\r\n\r\n`;
    const { status, body } = await upload(uploading, `${head}Olá\r\n--x--\r\n`, 'x');
    if (status === 201) assert.doesNotMatch(body.meta.fileName, /[/\\\0\u202e]/, name);
    else assert.equal(status, 400, name);
  });
}

/** Sends a sticker that never ends, until it is answered. */
async function uploadEndless({ api, tenant }: Uploading): Promise<void> {
  const call = request(api.url + UPLOAD, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'multipart/form-data; boundary=x' },
  });
  const answered = new Promise<number>((resolve, reject) => {
    call.on('response', (response) => resolve(response.resume().statusCode ?? 0)).on('error', reject);
  });
  const part = (head: string): string => `--x\r\ncontent-disposition: form-data; ${head}\r\n\r\n`;
  call.write(`${part('name="fileType"')}STICKER\r\n${part('name="file"; filename="a.webp"')}`);
  const piece = Buffer.alloc(16_384, 'x');
  // A client that sends as fast as it can may be cut off before it reads the answer.
  const pushing = setInterval(() => call.write(piece), PUSH_MS);
  const status = await Promise.race([answered, sleep(ANSWER_MS, null)]);
  clearInterval(pushing);
  call.destroy();
  assert.equal(status, 413);
}

/** Returns by how many MB the process grew while many files were uploaded. */
async function uploadAtOnce(uploading: Uploading, count: number): Promise<number> {
  const data = Buffer.alloc(1_000_000, 'Bread and coffee. ');
  const form = (): FormData => buildForm({ file: { name: 'long.txt', data } });
  const warm = await watchMemory(uploading.api.pid, upload(uploading, form()));
  const all = Promise.all(Array.from({ length: count }, () => upload(uploading, form())));
  const { result, ownMb } = await watchMemory(uploading.api.pid, all);
  for (const { status } of result) assert.equal(status, 201);
  const grownMb = ownMb - warm.ownMb;
  assert.ok(grownMb <= GROWTH_MB, `${count} uploads at once took ${grownMb} MB`);
  return grownMb;
}

/** The files of the process and those of companies. The apps for browsers are built there at any time. */
const listFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(folder, 'web/')));

/** Checks that all files that have come are named by records of the store, that each record has its file, and that no other file is gone. */
async function checkStore({ stage, folder, tenant }: Uploading, ownFiles: string[]): Promise<void> {
  const rows = await stage.store.sql<{ storage_key: string }>(
    'select storage_key from attachments union all select storage_key from attachment_copies',
  );
  const named = rows.map(({ storage_key }) => join(folder, 'files', storage_key));
  assert.deepEqual((await listFiles(folder)).toSorted(), [...ownFiles, ...named].toSorted());
  for (const { storage_key } of rows) assert.ok(storage_key.startsWith(`${tenant._id}/`), storage_key);
}

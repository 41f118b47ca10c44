/**
 * Benchmark (import): imports 100,000 contacts from a sheet, through the API and a worker process, compared with COPY of the
 * same rows into the same table with its indexes. COPY parses nothing, looks for no existing contacts and writes no names.
 */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '../src/platform/values/ids.ts';
import { makeWorkbook } from '../test/support/sheets.ts';
import { waitUntil } from '../test/support/wait.ts';
import { median, makeRatioFigure, type Figure } from './measure.ts';
import { measureResidentMb, spawnProgram, type SpawnedProgram, type BenchStage } from './stage.ts';

const ROWS = 100_000;
const ROUNDS = 2;
const GOAL = 0.2;
// The megabytes that the worker may need more for the last imports than for the first. If imported rows stayed in memory, it would need
// hundreds more.
const GROWTH_MB = 64;
const FIRST = ['Maria', 'José', 'Ana', 'João', 'Antônio', 'Francisca', 'Carlos', 'Paulo', 'Lucas', 'Juliana'];
const LAST = ['Silva', 'Santos', 'Oliveira', 'Souza', 'Lima', 'Pereira', 'Ferreira', 'Costa', 'Rodrigues', 'Almeida'];
const CITIES = ['São Paulo', 'Rio de Janeiro', 'Salvador', 'Fortaleza', 'Belo Horizonte', 'Manaus', 'Curitiba'];

interface Person {
  name: string;
  phone: string;
  email: string;
  city: string;
  score: number;
}

/** Makes the people of one round, whose phone numbers differ from those of other rounds. */
function makePeople(round: number): Person[] {
  return Array.from({ length: ROWS }, (_, n) => {
    const [first, last] = [FIRST[n % 10] ?? '', LAST[Math.floor(n / 10) % 10] ?? ''];
    return {
      name: `${first} ${last} ${n}`,
      phone: `+55119${String(10_000_000 + round * ROWS + n)}`,
      email: `person.${round}.${n}@example.com`,
      city: CITIES[n % 7] ?? '',
      score: n % 1_000,
    };
  });
}

export async function benchImport(stage: BenchStage): Promise<Figure[]> {
  const api = await spawnProgram('src/launch.js', ['api'], stage.env);
  const worker = await spawnProgram('src/launch.js', ['worker'], stage.env);
  try {
    const fields = await defineFields(stage, api);
    const limits: number[] = [];
    const rates: number[] = [];
    const peaks: number[] = [];
    let round = 0;
    for (let turn = 0; turn < ROUNDS; turn += 1) {
      limits.push(await measureCopy(stage, makePeople(round++), fields));
      for (const format of ['csv', 'xlsx']) {
        const { rate, peakMb } = await measureImport(stage, { api, worker }, { people: makePeople(round++), format });
        rates.push(rate);
        peaks.push(peakMb);
      }
    }
    const growth = Math.round(Math.max(...peaks.slice(2)) - Math.max(...peaks.slice(0, 2)));
    return [
      makeRatioFigure('(import) contacts from a sheet / COPY', median(rates), median(limits), GOAL),
      {
        name: '(import) the worker grows, 200,000 rows later',
        value: `${growth} MB, at most ${Math.round(Math.max(...peaks))} MB`,
        goal: `<= ${GROWTH_MB} MB`,
        met: growth <= GROWTH_MB,
      },
    ];
  } finally {
    await worker.stop();
    await api.stop();
  }
}

async function callApi(
  stage: BenchStage,
  api: SpawnedProgram,
  path: string,
  init: RequestInit,
): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${stage.key}`, ...(init.headers as Record<string, string> | undefined) };
  const response = await fetch(api.url + path, { ...init, headers });
  const body = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(body)}`);
  return body;
}

async function defineFields(stage: BenchStage, api: SpawnedProgram): Promise<{ city: string; score: string }> {
  const define = async (slug: string, type: string): Promise<string> => {
    const body = JSON.stringify({ title: slug, slug, context: 'contact', type });
    const headers = { 'content-type': 'application/json' };
    return (await callApi(stage, api, '/v1/custom-fields', { method: 'POST', headers, body }))['_id'] as string;
  };
  return { city: await define('city', 'TEXT'), score: await define('score', 'NUMBER') };
}

/** Measures COPY in rows a second; the database server reads the rows from a file. */
async function measureCopy(
  { database, company }: BenchStage,
  people: Person[],
  fields: { city: string; score: string },
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-copy-'));
  const path = join(folder, 'people.tsv');
  const lines = people.map(({ name, email, phone, city, score }) => {
    const held = JSON.stringify({ [fields.city]: city, [fields.score]: score });
    return [company, newId(), name, email, phone, 'BR', 'IMPORT', held].join('\t');
  });
  await writeFile(path, `${lines.join('\n')}\n`);
  // The database server runs as another user, who must be able to read the file.
  await chmod(folder, 0o755);
  await chmod(path, 0o644);
  const started = performance.now();
  await database.sql(
    `copy contacts (company_id, _id, name, email, phone_number, country_code, source, custom_fields) from '${path}'`,
  );
  const rate = (ROWS * 1000) / (performance.now() - started);
  await rm(folder, { recursive: true });
  return rate;
}

/**
 * Measures an import in rows a second, from the moment when the sheet is stored until the import ends, and the most memory that the worker
 * used.
 */
async function measureImport(
  stage: BenchStage,
  { api, worker }: { api: SpawnedProgram; worker: SpawnedProgram },
  { people, format }: { people: Person[]; format: string },
): Promise<{ rate: number; peakMb: number }> {
  const rows = [
    ['name', 'phone_number', 'email', 'city', 'score'],
    ...people.map(({ name, phone, email, city, score }) => [name, phone, email, city, score]),
  ];
  const data = format === 'csv' ? Buffer.from(rows.map((row) => row.join(',')).join('\n')) : makeWorkbook(rows);
  const form = new FormData();
  form.set('silent', 'true');
  form.set('file', new Blob([new Uint8Array(data)]), `people.${format}`);
  const { _id } = await callApi(stage, api, '/v1/contacts/import', { method: 'POST', body: form });
  const started = performance.now();
  let peakMb = 0;
  const look = async (): Promise<Record<string, unknown> | null> => {
    const current = await callApi(stage, api, `/v1/contacts/import/${String(_id)}`, {});
    peakMb = Math.max(peakMb, await measureResidentMb(worker));
    return current['finished_at'] === null ? null : current;
  };
  const done = await waitUntil('the import to end', look, 600_000);
  const rate = (ROWS * 1000) / (performance.now() - started);
  if (done['created_count'] !== ROWS) throw new Error(`not all were imported: ${JSON.stringify(done)}`);
  return { rate, peakMb };
}

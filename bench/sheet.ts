/**
 * Benchmark (sheet): a workbook of 50,000 contacts as a bulk call reads it, through a child process that finds columns and converts rows,
 * compared with the reader of sheets alone. CPU time of this process and of its children is compared.
 */
import type { ByteSource } from '../src/platform/store/byte-source.ts';
import { createReaders, type ChildReaders } from '../src/platform/work/child-readers.ts';
import { readSheet } from '../src/features/bulk/sheet.ts';
import { beginSurvey, readRows, readSmallSheet, surveyRows } from '../src/platform/work/sheets.ts';
import { reportProgress } from '../test/support/progress.ts';
import { makeWorkbook } from '../test/support/sheets.ts';
import { readCpuMs } from '../test/support/cpu.ts';
import { median, type Figure } from './measure.ts';

const ROWS = 50_000;
const ROUNDS = 5;
const GOAL = 1.2;
const COMPANY = 'a'.repeat(24);

export async function benchSheet(): Promise<Figure[]> {
  const rows = Array.from({ length: ROWS }, (_, n) => [`Maria ${n}`, `+55119${60_000_000 + n}`, `Rua ${n}`, n]);
  const data = makeWorkbook([['Nome', 'Telefone', 'Rua', 'Pontos'], ...rows]);
  const source: ByteSource = {
    bytes: data.length,
    async *read(start, end) {
      yield data.subarray(start, end);
    },
  };
  // Both readers have the same priority, so that other programs disturb both alike.
  const readers = createReaders(new URL('../src/file-reader.ts', import.meta.url), 0);
  const times = { bulk: [] as number[], alone: [] as number[], once: [] as number[] };
  try {
    await readForBulk(readers, source);
    for (let round = 0; round < ROUNDS; round += 1) {
      times.alone.push(await measureSeconds('the reader alone', () => readAlone(source)));
      times.once.push(await measureSeconds('the reader in a single pass', () => readAtOnce(source)));
      times.bulk.push(await measureSeconds('a bulk call', () => readForBulk(readers, source)));
    }
  } finally {
    readers.close();
  }
  const [bulk, alone, once] = [median(times.bulk), median(times.alone), median(times.once)];
  return [
    {
      name: `(sheet) a workbook of ${ROWS} contacts / the reader alone`,
      value: `${(bulk / alone).toFixed(2)} (${bulk.toFixed(2)} s of ${alone.toFixed(2)} s)`,
      goal: `<= ${GOAL}`,
      met: bulk <= GOAL * alone,
    },
    {
      name: '(sheet) the same / the reader in a single pass',
      value: `${(bulk / once).toFixed(2)} (${bulk.toFixed(2)} s of ${once.toFixed(2)} s)`,
      goal: 'reported',
      met: true,
    },
  ];
}

async function measureSeconds(name: string, work: () => Promise<number>): Promise<number> {
  const beforeMs = readCpuMs(process.pid);
  const count = await work();
  const seconds = (readCpuMs(process.pid) - beforeMs) / 1_000;
  if (count !== ROWS) throw new Error(`${name} read ${count} rows`);
  reportProgress(`${name}: ${seconds.toFixed(2)} s`);
  return seconds;
}

async function readForBulk(readers: ChildReaders, source: ByteSource): Promise<number> {
  const sheet = { upload: source, company: COMPANY, most: ROWS, hint: '', signal: new AbortController().signal };
  return (await readSheet(readers, sheet)).length;
}

/** Reads the sheet as a whole first, so that no row is used of a sheet that is broken at its end, and then its values. */
async function readAlone(source: ByteSource): Promise<number> {
  const survey = beginSurvey(null);
  for await (const _ of surveyRows(source, 'XLSX', survey));
  let count = -1;
  for await (const _ of readRows(source, 'XLSX', survey)) count += 1;
  return count;
}

/** Reads the sheet in one pass and keeps its rows, as far as it is small enough for this. */
async function readAtOnce(source: ByteSource): Promise<number> {
  const rows = await Array.fromAsync(readSmallSheet(source, 'XLSX', null));
  return rows.length - 1;
}

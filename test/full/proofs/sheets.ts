/**
 * Gives the reader of sheets bombs, lies, and good sheets with some bytes changed. Each is read or refused for a reason, in little CPU time
 * and memory, and the child process that reads it stays usable. What callers notice meanwhile is judged by the proofs of greedy companies.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { readSheet } from '../../../src/features/bulk/sheet.ts';
import { createReaders, type ChildReaders } from '../../../src/platform/work/child-readers.ts';
import { AppError } from '../../../src/platform/values/errors.ts';
import { readCpuMs } from '../../support/cpu.ts';
import { listDescendants } from '../../support/process.ts';
import { makeWorkbook, makeWorkbookParts, makeZip, makeZipBomb, type ZipItem } from '../../support/sheets.ts';
import { createChance, type Chance } from '../harness/chance.ts';

export interface SheetsSize {
  /** How many good sheets have some bytes changed. */
  variants: number;
  /** Whether CPU time and memory are judged, which takes a machine of its own. */
  judgesPace: boolean;
  seed: number;
}

export interface SheetsFigures {
  hostile: number;
  variants: number;
  read: number;
  refused: number;
  slowestCpuMs: number;
  goodCpuMs: number;
  grownMb: number;
}

const COMPANY = 'a'.repeat(24);
const MOST_ROWS = 100_000;
const GOOD_ROWS = 10_000;
const CPU_MS = 1_000;
const GROWN_MB = 128;

const makeRows = (count: number): (string | number)[][] => [
  ['name', 'phone', 'points'],
  ...Array.from({ length: count }, (_, n) => [`Ana ${n}`, `+55119${80_000_000 + n}`, n]),
];

/** A workbook whose sheet is changed. */
const withSheet = (change: (item: ZipItem) => ZipItem): Buffer =>
  makeZip(makeWorkbookParts(makeRows(3)).map((item) => (item.path.endsWith('sheet2.xml') ? change(item) : item)));
const withXml = (data: string): Buffer => withSheet((item) => ({ ...item, data }));

const ENTITIES = `<!DOCTYPE a [<!ENTITY a0 "xxxxxxxxxx">${Array.from({ length: 9 }, (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`).join('')}]>`;
const ROW = '<row><c t="b"><v>1</v></c></row>';

function listHostile(): Buffer[] {
  const bombs = [1, 20, 200, 450].flatMap((megabytes) => {
    const packed = makeZipBomb(megabytes);
    const claims = [{}, { inflated: 1_000 }, { inflated: 3_000_000_000 }, { packed: 10_000_000 }];
    return claims.map((claim) => withSheet((item) => ({ ...item, packed, claims: claim })));
  });
  return [
    ...bombs,
    withXml(`${ENTITIES}<worksheet><sheetData><row><c t="str"><v>&a9;</v></c></row></sheetData></worksheet>`),
    withXml(`<worksheet><sheetData>${ROW.repeat(1_000_001)}</sheetData></worksheet>`),
    withXml(`<worksheet>${'<a>'.repeat(1_000_000)}`),
    makeZip([{ path: 'xl/workbook.xml', data: makeWorkbook(makeRows(10)) }]),
    makeZip([{ path: 'xl/workbook.xml', data: deflateRawSync(makeWorkbook(makeRows(10))) }]),
    Buffer.from(`name,phone\n${'a,1\n'.repeat(1_000_000)}`),
    Buffer.from(`name,phone\n${'\n'.repeat(2_000_000)}`),
    Buffer.from(`name,phone\n"${'a'.repeat(5_000_000)}`),
  ];
}

/** Changes some bytes of a good sheet: of the zip, of the XML inside it, or of a CSV. */
function makeVariant(chance: Chance): Buffer {
  const rows = makeRows(1 + chance.int(50));
  const kind = chance.int(3);
  if (kind === 0) return alter(chance, makeWorkbook(rows));
  if (kind === 1) return alter(chance, Buffer.from(rows.map((row) => row.join(',')).join('\n')));
  const parts = makeWorkbookParts(rows);
  const changed = chance.int(parts.length);
  return makeZip(
    parts.map((part, place) => (place === changed ? { ...part, data: alter(chance, Buffer.from(part.data)) } : part)),
  );
}

/** Overwrites, removes and repeats random stretches. */
function alter(chance: Chance, data: Buffer): Buffer {
  let altered = Buffer.from(data);
  for (let change = 0; change <= chance.int(5); change += 1) {
    const start = chance.int(altered.length + 1);
    const stretch = altered.subarray(start, start + 1 + chance.int(100));
    const [before, after] = [altered.subarray(0, start), altered.subarray(start + stretch.length)];
    const noise = Buffer.from(Array.from(stretch, () => chance.int(256)));
    const instead = [noise, Buffer.alloc(0), Buffer.concat(Array(1 + chance.int(200)).fill(stretch))][chance.int(3)];
    altered = Buffer.concat([before, instead ?? noise, after]);
  }
  return altered;
}

/** Returns whether the sheet was read, and the CPU time of the child processes. Throws what is neither a result nor a refusal. */
async function readOne(readers: ChildReaders, data: Buffer): Promise<{ isRead: boolean; cpuMs: number }> {
  const upload = {
    bytes: data.length,
    async *read(start: number, end: number) {
      yield data.subarray(start, end);
    },
  };
  const beforeMs = readCpuMs(...listDescendants(process.pid));
  let isRead = true;
  try {
    await readSheet(readers, {
      upload,
      company: COMPANY,
      most: MOST_ROWS,
      hint: '',
      signal: new AbortController().signal,
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    isRead = false;
  }
  return { isRead, cpuMs: readCpuMs(...listDescendants(process.pid)) - beforeMs };
}

/** The most memory that a child process has had so far, in megabytes. */
function readPeakMb(): number {
  const peaks = listDescendants(process.pid).map((pid) => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  });
  return Math.max(0, ...peaks);
}

export async function proveSheets({ variants, judgesPace, seed }: SheetsSize): Promise<SheetsFigures> {
  const chance = createChance(seed);
  const readers = createReaders(new URL('../../../src/file-reader.ts', import.meta.url), 0);
  try {
    // The first file starts the child process.
    await readOne(readers, makeWorkbook(makeRows(10)));
    const warmMb = readPeakMb();
    const hostile = listHostile();
    const figures = { read: 0, refused: 0, slowestCpuMs: 0 };
    const take = async (data: Buffer): Promise<boolean> => {
      const { isRead, cpuMs } = await readOne(readers, data);
      figures[isRead ? 'read' : 'refused'] += 1;
      figures.slowestCpuMs = Math.max(figures.slowestCpuMs, cpuMs);
      return isRead;
    };
    for (const [place, data] of hostile.entries()) assert.equal(await take(data), false, `hostile sheet ${place}`);
    for (let count = 0; count < variants; count += 1) await take(makeVariant(chance));
    const grownMb = Math.round(readPeakMb() - warmMb);
    const good = await readOne(readers, makeWorkbook(makeRows(GOOD_ROWS)));
    assert.ok(good.isRead);
    if (judgesPace) assert.ok(grownMb <= GROWN_MB, `${grownMb} MB more`);
    if (judgesPace) assert.ok(Math.max(figures.slowestCpuMs, good.cpuMs) <= CPU_MS, JSON.stringify(figures));
    return { hostile: hostile.length, variants, ...figures, goodCpuMs: good.cpuMs, grownMb };
  } finally {
    readers.close();
  }
}

/** Sheets that stay within all limits of a file and are made to block the process that reads them. */
import { deflateRawSync } from 'node:zlib';
import { makeWorkbookParts, makeZip, type ZipItem } from './sheets.ts';

/** Returns a CSV with a cell of `count` empty tags between two good rows. */
export const makeEmptyTags = (count: number): string =>
  `external_id,tags\nAna,a\nBia,"${JSON.stringify(Array.from({ length: count }, () => '')).replaceAll('"', '""')}"\nEva,b\n`;

/** Returns letters that differ from number to number, because a file that repeats itself too much would be refused as a bomb. */
const makeNoise = (n: number): string =>
  ((n * 2_654_435_761) % 2 ** 32).toString(36) + ((n * 40_503) % 65_521).toString(36);

/** Returns a workbook of one row whose shared texts have this many megabytes once inflated, but less than 100 times its size. */
export function makeTextsBomb(megabytes: number): Buffer {
  const texts = Array.from(
    { length: megabytes * 1_024 },
    (_, n) => `<si><t>${'a'.repeat(1_000)}${makeNoise(n)}</t></si>`,
  );
  return replacePart('xl/sharedStrings.xml', `<sst><si><t>external_id</t></si>${texts.join('')}</sst>`);
}

function replacePart(path: string, xml: string): Buffer {
  const packed = { bytes: deflateRawSync(xml), crc: 0, inflated: Buffer.byteLength(xml) };
  return makeZip(
    makeWorkbookParts([['external_id']]).map((item): ZipItem => (item.path === path ? { ...item, packed } : item)),
  );
}

/** Sheets that are within all limits of a file, and were made to hold up whoever reads them. */
import { deflateRawSync } from 'node:zlib';
import { workbookParts, zipOf, type ZipItem } from './sheets.ts';

/** A CSV with a cell of so many empty tags among two sound rows. */
export const emptyTags = (count: number): string =>
  `name,tags\nAna,a\nBia,"${JSON.stringify(Array.from({ length: count }, () => '')).replaceAll('"', '""')}"\nEva,b\n`;

/** Letters that differ from one number to the next: what repeats itself too much is refused as a bomb. */
const noise = (n: number): string =>
  ((n * 2_654_435_761) % 2 ** 32).toString(36) + ((n * 40_503) % 65_521).toString(36);

/** A workbook of one row, whose shared texts come to so many megabytes once they are inflated, at less than 100 times its size. */
export function textsBomb(megabytes: number): Buffer {
  const texts = Array.from({ length: megabytes * 1_024 }, (_, n) => `<si><t>${'a'.repeat(1_000)}${noise(n)}</t></si>`);
  return withPart('xl/sharedStrings.xml', `<sst><si><t>name</t></si>${texts.join('')}</sst>`);
}

/** A workbook with one title, and below it so many megabytes of rows without a cell, of a kilobyte each. */
export function emptyRows(megabytes: number): Buffer {
  const row = (n: number): string => `<row a="${noise(n)}" spans="${'1:1 '.repeat(240)}"/>`;
  const rows = Array.from({ length: megabytes * 1_024 }, (_, n) => row(n));
  const title = '<row><c t="str"><v>name</v></c></row>';
  return withPart('xl/worksheets/sheet2.xml', `<worksheet><sheetData>${title}${rows.join('')}</sheetData></worksheet>`);
}

function withPart(path: string, xml: string): Buffer {
  const packed = { bytes: deflateRawSync(xml), crc: 0, inflated: Buffer.byteLength(xml) };
  return zipOf(workbookParts([['name']]).map((item): ZipItem => (item.path === path ? { ...item, packed } : item)));
}

/** Builds sheets for tests byte by byte, so that they can also contain false claims about their size. */
import assert from 'node:assert/strict';
import { crc32, deflateRawSync } from 'node:zlib';
import type { Answer, Json, Platform } from './platform.ts';
import { waitUntil } from './wait.ts';

export interface ZipItem {
  path: string;
  data: Buffer | string;
  /** False sizes that the zip's headers claim. */
  claims?: { inflated?: number; packed?: number };
  /** True for content that is stored without compression. */
  stored?: true;
  /** Content that is compressed already. */
  packed?: { bytes: Buffer; crc: number; inflated: number };
}

const encodeUint16 = (value: number): Buffer => Buffer.from([value & 255, (value >> 8) & 255]);
const encodeUint32 = (value: number): Buffer =>
  Buffer.concat([encodeUint16(value & 0xffff), encodeUint16(value >>> 16)]);

export function makeZip(items: ZipItem[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, data, claims, packed, stored } of items) {
    const raw = Buffer.from(data);
    const bytes = packed?.bytes ?? (stored ? raw : deflateRawSync(raw));
    const name = Buffer.from(path);
    const facts = Buffer.concat([
      encodeUint16(20),
      encodeUint16(0),
      encodeUint16(stored ? 0 : 8),
      encodeUint32(0),
      encodeUint32(packed?.crc ?? crc32(raw)),
      encodeUint32(claims?.packed ?? bytes.length),
      encodeUint32(claims?.inflated ?? packed?.inflated ?? raw.length),
      encodeUint16(name.length),
      encodeUint16(0),
    ]);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), facts, name, bytes]);
    directory.push(
      Buffer.concat([
        Buffer.from('PK\x01\x02'),
        encodeUint16(20),
        facts,
        encodeUint16(0),
        encodeUint16(0),
        encodeUint16(0),
        encodeUint32(0),
        encodeUint32(offset),
        name,
      ]),
    );
    locals.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const count = encodeUint16(items.length);
  return Buffer.concat([
    ...locals,
    index,
    Buffer.concat([
      Buffer.from('PK\x05\x06'),
      encodeUint32(0),
      count,
      count,
      encodeUint32(index.length),
      encodeUint32(offset),
      encodeUint16(0),
    ]),
  ]);
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const toColumnName = (column: number): string =>
  column < 26
    ? String.fromCharCode(65 + column)
    : toColumnName(Math.floor(column / 26) - 1) + String.fromCharCode(65 + (column % 26));

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const BOOK = `<workbook xmlns="${MAIN}" xmlns:r="urn:r"><sheets><sheet name="A" sheetId="1" r:id="rId7"/><sheet name="B" sheetId="2" r:id="rId8"/></sheets></workbook>`;
const RELATIONS =
  '<Relationships><Relationship Id="rId8" Target="worksheets/sheet1.xml"/><Relationship Id="rId7" Target="worksheets/sheet2.xml"/></Relationships>';
// Style 1 is a date, 2 a date with a custom format, 3 a number with two digits.
const STYLES = `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="dd/mm/yyyy hh:mm"/></numFmts><cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="2"/></cellXfs></styleSheet>`;

/** A cell as raw XML, for content that a plain value cannot express. */
export interface RawCell {
  xml: (reference: string) => string;
}
export type TestCell = string | number | boolean | null | RawCell;

/** Returns the parts of a workbook with shared texts, whose first sheet is the file sheet2.xml. */
export function makeWorkbookParts(rows: TestCell[][]): ZipItem[] {
  const texts = new Map<string, number>();
  const shared = (text: string): number => {
    const index = texts.get(text) ?? texts.size;
    texts.set(text, index);
    return index;
  };
  const makeCell = (cell: TestCell, reference: string): string => {
    if (cell === null) return '';
    if (typeof cell === 'object') return cell.xml(reference);
    if (typeof cell === 'string') return `<c r="${reference}" t="s"><v>${shared(cell)}</v></c>`;
    if (typeof cell === 'boolean') return `<c r="${reference}" t="b"><v>${cell ? 1 : 0}</v></c>`;
    return `<c r="${reference}"><v>${cell}</v></c>`;
  };
  const body = rows.map(
    (row, index) =>
      `<row r="${index + 1}">${row.map((cell, column) => makeCell(cell, `${toColumnName(column)}${index + 1}`)).join('')}</row>`,
  );
  const sheet = `<worksheet xmlns="${MAIN}"><sheetData>${body.join('')}</sheetData></worksheet>`;
  const strings = [...texts.keys()].map((text) => `<si><t xml:space="preserve">${escapeXml(text)}</t></si>`);
  return [
    { path: 'xl/workbook.xml', data: BOOK },
    { path: 'xl/_rels/workbook.xml.rels', data: RELATIONS },
    { path: 'xl/styles.xml', data: STYLES },
    { path: 'xl/sharedStrings.xml', data: `<sst xmlns="${MAIN}">${strings.join('')}</sst>` },
    { path: 'xl/worksheets/sheet2.xml', data: sheet },
    { path: 'xl/worksheets/sheet1.xml', data: '<worksheet/>' },
  ];
}

export const makeWorkbook = (rows: TestCell[][]): Buffer => makeZip(makeWorkbookParts(rows));

/** Compresses megabytes of one letter. */
export function makeZipBomb(megabytes: number): { bytes: Buffer; crc: number; inflated: number } {
  const inflated = megabytes * 1024 * 1024;
  return { bytes: deflateRawSync(Buffer.alloc(inflated, 'a')), crc: 0, inflated };
}

export type FormParts = Record<string, string | { name: string; data: Buffer | string; type?: string }>;

/** Builds a multipart form of these parts; `fetch` encodes the form. */
export function buildForm(parts: FormParts): FormData {
  const form = new FormData();
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === 'string') form.set(name, part);
    else {
      const bytes = new Uint8Array(Buffer.from(part.data));
      form.set(name, new Blob([bytes], { type: part.type ?? 'application/octet-stream' }), part.name);
    }
  }
  return form;
}

export interface PostOptions {
  key?: string;
  headers?: Record<string, string>;
}

/** Posts a form to a path and asserts the status. */
export async function postForm(
  platform: Platform,
  [status, path]: [number, string],
  parts: FormParts | FormData,
  { key = platform.demo.key, headers = {}, method = 'POST' }: PostOptions & { method?: 'POST' | 'PUT' } = {},
): Promise<Answer> {
  const response = await fetch(platform.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: parts instanceof FormData ? parts : buildForm(parts),
  });
  const text = await response.text();
  assert.equal(response.status, status, `${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
  return { status, headers: response.headers, body: JSON.parse(text) as Json };
}

/** Returns the errors of an import without what they show of the sheet. */
export const listFaults = ({ row_errors }: Json): Json[] =>
  row_errors.map(({ row, field, message }: Json) => ({ row, field, message }));

/** Imports a sheet and waits until the import has ended. */
export async function importSheet(
  platform: Platform,
  path: string,
  parts: FormParts,
  options: PostOptions = {},
): Promise<Json> {
  const { body } = await postForm(platform, [201, path], parts, options);
  assert.equal(body.status, 'QUEUED');
  return awaitImport(platform, `${path}/${body._id}`, options);
}

/** Waits until an import has ended, and returns it as the API shows it. */
export async function awaitImport(
  platform: Platform,
  path: string,
  { key = platform.demo.key }: { key?: string } = {},
): Promise<Json> {
  const id = path.split('/').at(-1);
  // This reads the database, because the API may answer 503 while the machine is busy with the sheet.
  const look = (): Promise<unknown[]> =>
    platform.database.sql('select 1 from runs where _id = $1 and finished_at is not null', [id]);
  await waitUntil('the import to end', async () => (await look()).length > 0);
  return (await platform.call(200, 'GET', path, { key })).body;
}

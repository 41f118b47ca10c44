/** Builds forms and sheets as bytes. */
import type { Chance } from '../harness/chance.ts';
import { INHERITED, NAUGHTY } from './strings.ts';

/** Values of the parts by name; `file` is the text of a file. A value that is no text is sent as JSON. */
export type Parts = Record<string, unknown>;

const BOUNDARY = 'fuzz-boundary';
export const FORM_TYPE = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

export function buildForm(parts: Parts): { body: Buffer; headers: Record<string, string> } {
  const pieces = Object.entries(parts).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return buildPart(`name="${name}"${name === 'file' ? '; filename="sheet.csv"' : ''}`, Buffer.from(text));
  });
  return { body: Buffer.concat([...pieces, END]), headers: FORM_TYPE };
}

export const END = Buffer.from(`--${BOUNDARY}--\r\n`);

export function buildPart(disposition: string, content: Buffer, ...headers: string[]): Buffer {
  const head = [`--${BOUNDARY}`, `Content-Disposition: form-data; ${disposition}`, ...headers, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n')]);
}

/** Returns a sheet with columns of the scene's contacts and tables; each cell is right or wrong at random. */
export function makeSheet(chance: Chance): string {
  const titles = ['name', 'email', 'phone_number', 'tags', 'owner', 'business', 'blocked', 'till_text', 'till_number'];
  const columns = chance.shuffle([...titles, chance.pick(INHERITED)]).slice(0, 1 + chance.int(titles.length));
  const mark = chance.pick([',', ';', '\t']);
  const cell = (): string => {
    const text = chance.pick([...GOOD, chance.pick(NAUGHTY).toWellFormed().slice(0, 500)]);
    return chance.int(2) === 0 ? `"${text.replaceAll('"', '""')}"` : text.replaceAll(/[\r\n"]/g, ' ');
  };
  const rows = Array.from({ length: chance.int(30) }, () => columns.map(cell).join(mark));
  return [columns.join(mark), ...rows].join(chance.pick(['\n', '\r\n']));
}

const GOOD = ['Ana', 'ana@example.test', '+5511988887777', '7', 'true', '', 'vip, new', '1e3', '2026-11-20', '=1+1'];

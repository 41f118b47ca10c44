/** Reads the contacts of a bulk call from a sheet, in a child process. */
import { AppError, invalid } from '../../platform/values/errors.ts';
import type { ByteSource } from '../../platform/store/byte-source.ts';
import type { ChildReaders } from '../../platform/work/child-readers.ts';
import { createFieldFinder } from '../contacts/import/titles.ts';
import { readForCaller, type ImportReader } from '../imports/reader.ts';
import type { Fault } from '../imports/reading.ts';
import type { ImportColumn } from '../imports/schemas.ts';
import { COLUMN, type SheetContact } from './sheet-rows.ts';

export interface SheetRow {
  number: number;
  contact: SheetContact;
  faults: Fault[];
}

export interface AskedSheet {
  upload: ByteSource;
  company: string;
  /** The most contacts of one call. */
  most: number;
  /** What a caller with more contacts can do. */
  hint: string;
  signal: AbortSignal;
}

// A sheet of 10 MB is read within a few seconds; on a busy machine the callers of other sheets come first.
const READ_MS = 50_000;

/** Returns the rows that have a value. Throws when the sheet has no column of phone numbers, two of them, or too many rows. */
export function readSheet(
  readers: ChildReaders,
  { upload, company, signal, ...limit }: AskedSheet,
): Promise<SheetRow[]> {
  const sheet = { owner: company, source: upload, signal, waitMs: READ_MS };
  return readForCaller(readers, sheet, (reader) => readAll(reader, limit));
}

async function readAll(reader: ImportReader, limit: Pick<AskedSheet, 'most' | 'hint'>): Promise<SheetRow[]> {
  const { format, titles } = await reader.head();
  const count = await reader.survey(format, mapColumns(titles));
  if (count > limit.most) throw tooMany('file', count, limit);
  const rows: SheetRow[] = [];
  for (;;) {
    const portion = await reader.portion('BULK', null, rows.length);
    if (portion.length === 0) return rows;
    for (const { number, value, faults } of portion) {
      const contact = (value ?? { name: null, phone: '', columns: {} }) as SheetContact;
      rows.push({ number, contact, faults });
    }
  }
}

export function tooMany(path: string, count: number, { most, hint }: Pick<AskedSheet, 'most' | 'hint'>): AppError {
  const message = `has ${count} contacts; one call accepts ${most}; ${hint}`;
  return new AppError('BODY_TOO_LARGE', `${path} ${message}`, [{ path, code: 'TOO_MANY_CONTACTS', message }]);
}

/** Finds the columns of names and phone numbers by their titles, in Portuguese and in English. */
function mapColumns(titles: string[]): ImportColumn[] {
  const find = createFieldFinder([]);
  const columns = titles.map((title): ImportColumn => {
    const field = find(title);
    if (field === 'name' || field === 'phone_number') return { title, field };
    return { title, field: title === '' ? null : COLUMN + title };
  });
  for (const [field, words] of [
    ['phone_number', 'phone numbers'],
    ['name', 'names'],
  ] as const) {
    const [first, second] = columns.filter((column) => column.field === field);
    if (second) throw invalid('file', `has two columns of ${words}: ${first?.title} and ${second.title}`, 'DUPLICATE');
    if (!first && field === 'phone_number')
      throw invalid('file', 'has no column of phone numbers: phone, telefone, celular or whatsapp', 'UNKNOWN_COLUMN');
  }
  return columns.map((column, place) => {
    const isRepeated = columns.findIndex(({ field }) => field === column.field) < place;
    return isRepeated ? { ...column, field: null } : column;
  });
}

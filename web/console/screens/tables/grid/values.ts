/** The values of cells: as people type them, and as the API takes them. */
import type { Column, Row } from '@parley/sdk';
import { parseNumber, writeNumber } from '../../../texts/formats.ts';
import { getTexts } from '../../../texts/texts.ts';
import { splitItems } from '../../../ui/custom-fields.tsx';
import { COMMON } from '../../../ui/texts.ts';

export type CellValue = Row['data'][string];

export const isEmpty = (value: CellValue): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** Writes a value as an editor shows it. */
export function toText({ type }: Column, value: CellValue): string {
  if (value === null) return '';
  if (type === 'NUMBER' && typeof value === 'number') return writeNumber(value);
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** Reads what was typed or pasted. What does not fit the column stays a text, and the platform says what is wrong with it. */
export function toValue({ type }: Column, text: string): CellValue {
  if (text === '') return null;
  switch (type) {
    case 'NUMBER':
      return parseNumber(text) ?? text;
    case 'BOOLEAN': {
      const { yes, no } = getTexts(COMMON);
      const typed = text.trim().toLowerCase();
      if ([yes.toLowerCase(), 'true'].includes(typed)) return true;
      return [no.toLowerCase(), 'false'].includes(typed) ? false : text;
    }
    case 'LIST':
      return splitItems(text);
    default:
      return text;
  }
}

/** Writes a value as spreadsheets copy it: in quotes when it has a tab or a line of its own. */
export const toClipboard = (text: string): string => (/[\t\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Reads what a spreadsheet has copied: tabs stand between the cells, and lines between the rows. */
export function parseClipboard(text: string): string[][] {
  const lines = text.replaceAll('\r\n', '\n').replace(/\n$/, '');
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of lines.matchAll(/(?:"((?:[^"]|"")*)"(?=[\t\n]|$)|([^\t\n]*))(\t|\n|$)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '') break;
    if (end === '\n') rows.push([]);
  }
  return rows;
}

/** True for a list of which the column says what it may hold. */
export const isLimited = ({ type, options }: Column): boolean => type === 'LIST' && options.length > 0;

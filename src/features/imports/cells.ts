/**
 * Converts cells of a sheet to typed values and back. Common ways to write numbers, dates and lists are understood; everything else is an
 * error of its row.
 */
import { checkText } from '../../platform/http/body.ts';
import { isPrecise } from '../../platform/values/numbers.ts';
import type { Cell } from '../../platform/work/sheets/sheet.ts';
import type { Value } from '../custom-fields/schemas.ts';
import type { TypedSlot } from '../custom-fields/values.ts';

/**
 * Returns the value that a cell stands for in a field of this type. A cell that cannot be read is returned unchanged, and the check of the
 * type refuses it.
 */
export function toValue({ type }: TypedSlot, cell: Exclude<Cell, null>): Value {
  if (type === 'NUMBER') return typeof cell === 'string' ? (readNumber(cell) ?? cell) : cell;
  if (type === 'BOOLEAN') return typeof cell === 'boolean' ? cell : (readBoolean(String(cell)) ?? cell);
  const text = String(cell).trim();
  if (type === 'DATE') return readDate(text) ?? text;
  return type === 'LIST' ? splitList(text) : text;
}

const PLAIN = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;
// COMMA matches 1.234,56 and 1234,5 as in Brazil; POINT matches 1,234.56 as in the United States. 1,234 alone is read as a decimal.
const COMMA = /^[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+$/;
const POINT = /^[+-]?\d{1,3}(,\d{3})+\.\d+$/;

function readNumber(text: string): number | undefined {
  const bare = text.trim();
  if (!isPrecise(bare)) return undefined;
  if (PLAIN.test(bare)) return Number(bare);
  if (COMMA.test(bare)) return Number(bare.replaceAll('.', '').replace(',', '.'));
  return POINT.test(bare) ? Number(bare.replaceAll(',', '')) : undefined;
}

const TRUE = /^(true|yes|sim|verdadeiro|1|x|s|y)$/i;
const FALSE = /^(false|no|não|nao|falso|0|n)$/i;

/** Reads true or false; undefined when the text means neither. */
export function readBoolean(text: string): boolean | undefined {
  const bare = text.trim().normalize('NFC');
  if (TRUE.test(bare)) return true;
  return FALSE.test(bare) ? false : undefined;
}

/** Reads ISO dates, with or without a time, and day/month/year as in Brazil. */
function readDate(text: string): string | undefined {
  const iso = /^(\d{4}-\d{2}-\d{2})(?:[T ][\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/.exec(text)?.[1];
  if (iso) return iso;
  const [, day, month, year] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(text) ?? [];
  return day && month && year ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : undefined;
}

/** Reads a JSON array, or items that are separated by commas or semicolons. */
export function splitList(text: string): string[] {
  if (text.startsWith('[')) {
    try {
      const items: unknown = JSON.parse(text);
      if (Array.isArray(items)) {
        const list = items.map(String);
        for (const item of list) checkText(item, '');
        return list;
      }
    } catch {
      // Failure policy: a text that only looks like JSON, or hides what cannot be stored, is read as a list of items.
    }
  }
  return [
    ...new Set(
      text
        .split(/[;,]/)
        .map((item) => item.trim())
        .filter(Boolean),
    ),
  ];
}

/** Writes a value as a cell from which toValue reads the same value. */
export function toCell(value: Value | null | undefined): Cell {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) return value;
  const isPlain = value.every((item) => item !== '' && !/[;,]|^\[|^\s|\s$/.test(item));
  if (value.length === 0) return null;
  return isPlain ? value.join('; ') : JSON.stringify(value);
}

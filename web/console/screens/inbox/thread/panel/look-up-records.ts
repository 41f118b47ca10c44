/** Reads what a look-up returned: JSON is shown as names and values, and everything else as text. */

type Field = readonly [name: string, value: string];

/** Returns the fields of each record; null for a text that is no object, and no list of objects, in JSON. A list that was cut has its whole records. */
export function readRecords(text: string, isCut = false): Field[][] | null {
  const found = isCut ? parseWhole(text) : parse(text);
  const records = Array.isArray(found) ? (found as unknown[]) : [found];
  return records.every(isRecord) ? records.map((record) => Object.entries(record).map(toField)) : null;
}

/** `undefined` for a text that is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits);
  } catch {
    // Failure policy: what is no JSON is shown as a text.
    return undefined;
  }
}

/** Looks for the end of the last whole record from the end of the text on, which may be inside of one. */
function parseWhole(text: string): unknown {
  let end = text.length;
  while ((end = text.lastIndexOf('}', end - 1)) > 0) {
    const found = parse(`${text.slice(0, end + 1)}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A long number, such as that of an order, would lose its last digits. */
const keepDigits = (_name: string, value: unknown, written?: { source?: string }): unknown =>
  typeof value === 'number' ? (written?.source ?? String(value)) : value;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const toField = ([name, value]: [string, unknown]): Field => [name, toText(value)];

function toText(value: unknown): string {
  if (value === null) return '–';
  if (Array.isArray(value) && !value.some((each) => typeof each === 'object')) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

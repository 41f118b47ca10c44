/**
 * Writes the body of an event as JSON of at most 256 kB. Only old records and records from a network can
 * be larger. In a larger body the largest fields are replaced by empty values, and `omitted` lists their
 * names: the receiver still learns what happened to which record, and can fetch the record by its GET.
 */
const MAX_EVENT_BYTES = 256 * 1024;

export interface EventBody {
  event: string;
  timestamp: string;
  data: object;
}

export function writeEventBody(body: EventBody): string {
  const text = JSON.stringify(body);
  // A character takes at most three bytes in UTF-8, so the bytes of most bodies need not be counted.
  return text.length * 3 <= MAX_EVENT_BYTES || Buffer.byteLength(text) <= MAX_EVENT_BYTES
    ? text
    : omitLargeEventFields(body);
}

function omitLargeEventFields(body: EventBody): string {
  const sizes = Object.entries(body.data)
    .map(([name, value]) => ({ name, value: value as unknown, bytes: Buffer.byteLength(JSON.stringify(value) ?? '') }))
    .toSorted((a, b) => b.bytes - a.bytes);
  const data = new Map<string, unknown>(Object.entries(body.data));
  const omitted: string[] = [];
  for (const { name, value } of sizes) {
    data.set(name, Array.isArray(value) ? [] : null);
    omitted.push(name);
    const text = JSON.stringify({ ...body, data: Object.fromEntries(data), omitted });
    if (Buffer.byteLength(text) <= MAX_EVENT_BYTES) return text;
  }
  throw new Error(`${body.event}: the names of a record's fields alone are larger than an event may be`);
}

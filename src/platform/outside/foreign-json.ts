/** Parses the JSON of servers that tenants choose. Bytes alone do not bound the work of parsing and reading it, so its parts are counted first. */
import { declareLimit } from '../values/limits.ts';

// The most objects and lists. The largest answers of real servers, a thousand templates or tools, have some thousand.
const MAX_OPENINGS = declareLimit(20_000, {
  topic: 'Networks',
  what: 'JSON response: objects and lists',
  beyond: 'the answer counts as unreadable',
});
// The most commas, each of which stands for one more value. A text or a number costs far less than an object.
const MAX_COMMAS = declareLimit(100_000, {
  topic: 'Networks',
  what: 'JSON response: commas',
  beyond: 'the answer counts as unreadable',
});
const MAX_DEPTH = declareLimit(64, {
  topic: 'Networks',
  what: 'JSON response: levels',
  beyond: 'the answer counts as unreadable',
});

const [QUOTE, BACKSLASH, COMMA, NEW_LINE, RETURN] = Buffer.from('"\\,\n\r');
const [BRACE, BRACKET, END_BRACE, END_BRACKET] = Buffer.from('{[}]');

export class TooManyParts extends Error {}

/** Throws TooManyParts without parsing anything, and a SyntaxError for a body that is not JSON. */
export function parseForeignJson(body: Buffer): unknown {
  if (!hasFewParts(body)) throw new TooManyParts('The response has too many parts.');
  return JSON.parse(body.toString('utf8'));
}

/** Counts the parts of JSON, or of a stream of events that are JSON. */
export function hasFewParts(body: Buffer): boolean {
  let [openings, commas, depth] = [0, 0, 0];
  let isText = false;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) isText = !isText;
    // No text of JSON has a line break, so that a quotation mark between two events hides nothing of the next one.
    else if (byte === NEW_LINE || byte === RETURN) isText = false;
    else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA) commas += 1;
    else if (byte === BRACE || byte === BRACKET) {
      openings += 1;
      depth += 1;
    } else if (byte === END_BRACE || byte === END_BRACKET) depth = Math.max(0, depth - 1);
    if (openings > MAX_OPENINGS || commas > MAX_COMMAS || depth > MAX_DEPTH) return false;
  }
  return true;
}

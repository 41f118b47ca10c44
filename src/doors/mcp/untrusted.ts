/**
 * Words of contacts, as a model gets them. They stand only in properties whose names begin with `untrusted_`, without characters that
 * people do not see and without the form of a picture, which some clients load from any address.
 */
import { declareLimit } from '../../platform/values/limits.ts';
import type { JsonObject } from '../json.ts';

const LONGEST = declareLimit(4_000, {
  topic: 'MCP',
  what: 'Text of a contact or passage in an answer',
  unit: 'characters',
  beyond: 'cut off',
});

// Characters that steer the direction of writing, have no width, or are tags, and control characters other than line ends and tabs.
const UNSEEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

export function cleanText(text: string): string {
  const cleaned = text.replaceAll('\r\n', '\n').replaceAll(UNSEEN, '').replaceAll('![', '! [');
  return cleaned.length > LONGEST ? `${cleaned.slice(0, LONGEST)}…` : cleaned;
}

/** Cleans each text in a value, names of properties included. */
export function cleanDeep(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanDeep);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [cleanText(key), cleanDeep(each)]));
}

export const cleanOrNull = (text: unknown): string | null => (typeof text === 'string' ? cleanText(text) : null);

/** The values of custom fields by their slugs; contacts may have given them. */
export const cleanFields = (fields: JsonObject[]): unknown =>
  cleanDeep(
    Object.fromEntries(
      fields.filter(({ value }) => value !== null).map(({ slug, value }) => [String(slug), value as unknown]),
    ),
  );

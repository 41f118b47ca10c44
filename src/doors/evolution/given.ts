/** What the bodies of sends have in common. Version 1 of Evolution put its properties into objects, which many scripts still do. */
import { declareLimit } from '../../platform/values/limits.ts';
import { readNumber, readObject, readText, readValue } from '../lenient.ts';
import type { JsonObject } from '../json.ts';
import { EvolutionError, refused, required } from './errors.ts';
import { namesNoPerson, readPerson, toJid, type Named } from './jid.ts';
import type { Asked } from './route.ts';

/** Returns the body in the form of version 2. `part` is the name of the object that had the content in version 1. */
export function readGiven({ body }: Pick<Asked, 'body'>, part: string, list?: string): JsonObject {
  const given = readValue(body, part);
  const content = list && Array.isArray(given) ? { [list]: given as unknown } : readObject(body, part);
  return { ...readObject(body, 'options'), ...content, ...body };
}

/** Returns the texts of these properties. Throws Evolution's error for those that are not there. */
export function expectTexts(given: JsonObject, ...names: string[]): string[] {
  const missing = names.filter((name) => readText(given, name) === null);
  if (missing.length > 0) throw required(...missing);
  return names.map((name) => readText(given, name) as string);
}

/** Throws Evolution's answer for a number that nobody has. */
export const noSuchNumber = (number: string): EvolutionError =>
  new EvolutionError(400, [{ jid: toJid(number), exists: false, number }]);

/** Reads the property `number`. */
export function expectPerson(given: JsonObject): Named {
  const [number = ''] = expectTexts(given, 'number');
  if (namesNoPerson(number)) throw refused();
  const person = readPerson(number);
  if (!person) throw noSuchNumber(number);
  return person;
}

const MAX_DELAY_MS = declareLimit(15_000, {
  topic: 'Evolution',
  what: '`delay` of a send',
  unit: 'ms',
  beyond: 'shorter',
});

/** For how long the client wants the contact to see that someone is typing. */
export const readDelayMs = (given: JsonObject): number =>
  Math.min(Math.max(0, readNumber(given, 'delay') ?? 0), MAX_DELAY_MS);

/** The id of the message that is answered. */
export const readQuoted = (given: JsonObject): string | null =>
  readText(readObject(readObject(given, 'quoted'), 'key'), 'id');

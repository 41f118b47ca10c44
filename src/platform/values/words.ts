/** Normalises texts for comparisons (case, accents, digits), makes slugs, and formats lists for messages. */
import { plainPhoneText } from './phone-text.ts';
import { declareLimit } from './limits.ts';

/** Converts a text to lower case without accents, almost like the database function fold(). */
export function foldText(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();
}

const PART_OF_PHONE = /^[+\s().\-/]*\d[+\d\s().\-/]*$/;

/** Returns the digits of a text that may be part of a phone number as people write it; null for any other text. */
export function readDigits(text: string): string | null {
  const plain = plainPhoneText(text);
  return PART_OF_PHONE.test(plain) ? plain.replaceAll(/\D/g, '') : null;
}

/** True for two plain letters or digits, which are too short to be looked up directly in a trigram index. */
export const isLetterPair = (folded: string): boolean => /^[a-z0-9]{2}$/.test(folded);

// All ASCII characters that may stand before the pair. The index has no pairs, but it has every trigram that ends in the pair.
const BEFORE_PAIR = String.raw`(^|[\x01-/:-@[-\`{-\x7f]|[a-z0-9])`;

/** SQL that finds a pair of characters in a text by a trigram index. A pair after a non-ASCII letter is not found. */
export const pairCondition = (text: string, pair: string): string => `${text} ~ ('${BEFORE_PAIR}' || ${pair})`;

/**
 * Returns whether the text has a trigram: three letters or digits in a row, or fewer at a known edge, where a trigram includes two blanks
 * before a word and one after it.
 */
export function hasTrigram(folded: string, startKnown: boolean, endKnown: boolean): boolean {
  for (const { 0: word, index } of folded.matchAll(/[\p{L}\p{N}]+/gu)) {
    const before = startKnown || index > 0 ? 2 : 0;
    const after = endKnown || index + word.length < folded.length ? 1 : 0;
    if (Array.from(word).length + before + after >= 3) return true;
  }
  return false;
}

/** The most characters of a slug. */
export const MAX_SLUG = declareLimit(64, { topic: 'Records', what: 'Slug', unit: 'characters', beyond: 'cut' });

/**
 * Makes a slug: "Número do pedido" becomes numero_do_pedido. A slug that would begin with a digit gets `<prefix>_` before it. Null when no
 * character remains.
 */
export function makeSlug(text: string, prefix: string): string | null {
  const slug = foldText(text)
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  if (!slug) return null;
  const begun = /^[a-z]/.test(slug) ? slug : `${prefix}_${slug}`;
  return begun.slice(0, MAX_SLUG).replace(/_+$/, '');
}

// Up to 15 values are listed completely. Of a longer list only three are shown as examples.
const MOST_LISTED = 15;
const EXAMPLES_LISTED = 3;

/** Formats a list as "A, B or C". Of a long list a few values are shown, with the number of all. */
export function describeValues(values: readonly unknown[]): string {
  const named = values.map(String);
  if (named.length > MOST_LISTED)
    return `${named.length} values, among them ${describeValues(named.slice(0, EXAMPLES_LISTED))}`;
  const last = named.at(-1) ?? '';
  return named.length > 1 ? `${named.slice(0, -1).join(', ')} or ${last}` : last;
}

/** Formats a count, such as "1 item" or "2 items". */
export const formatCount = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;

/** Returns the name that someone probably meant who wrote `given`: one that contains it or the reverse, or with a letter or two of difference. */
export function findNearest(given: string, names: readonly string[]): string | null {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const wanted = plain(given.slice(0, MAX_GIVEN));
  if (wanted.length < 3) return null;
  const ranked = names
    .map((name) => ({ name, distance: measureDistance(wanted, plain(name)) }))
    .filter(({ distance }) => distance <= (wanted.length + 1) / 3)
    .toSorted((a, b) => a.distance - b.distance);
  const [nearest] =
    ranked.length > 0 ? ranked : names.filter((name) => plain(name).includes(wanted)).map((name) => ({ name }));
  return nearest?.name ?? null;
}

// Names are short; a longer text is not looked for.
const MAX_GIVEN = 64;

/** Returns how many letters have to be added, removed or replaced to make one text of the other (Levenshtein). */
function measureDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [place, letter] of Array.from(from).entries()) {
    const next = [place + 1];
    for (let index = 0; index < to.length; index += 1)
      next.push(
        Math.min((row[index] ?? 0) + (letter === to[index] ? 0 : 1), (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Shortens a text to at most so many code units, without cutting a character that consists of two. */
export const clipText = (text: string, most: number): string => text.slice(0, most).replace(/[\ud800-\udbff]$/, '');

/** A character that is not white space, for JavaScript and PostgreSQL alike. For a template, a value without one is missing. */
export const VISIBLE_CHARACTER = String.raw`[^\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]`;

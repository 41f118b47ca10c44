/** Texts of people in the forms that programs compare: without case, without accents, as a slug. */

/** What fold() of the database makes of a text, nearly: small letters without accents. */
export function foldText(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();
}

/** The digits of what may be a part of a number as people write it; null for every other text. */
export const readDigits = (text: string): string | null =>
  /^[\d\s()+\-./]*\d[\d\s()+\-./]*$/.test(text) ? text.replaceAll(/\D/g, '') : null;

/** Two plain letters or digits: too short for an index of trigrams to look up as they are. */
export const isPair = (folded: string): boolean => /^[a-z0-9]{2}$/.test(folded);

// Everything of ASCII that may stand before a pair: the index knows no pairs, but each trigram that ends in one.
const BEFORE_PAIR = String.raw`(^|[\x01-/:-@[-\`{-\x7f]|[a-z0-9])`;

/** A pair in a text, both as SQL, by a trigram index. It leaves out what stands behind a letter beyond ASCII. */
export const pairLookUp = (text: string, pair: string): string => `${text} ~ ('${BEFORE_PAIR}' || ${pair})`;

/** A slug is as long as this at most. */
export const MAX_SLUG = 64;

/** "Número do pedido" → numero_do_pedido; `<prefix>_` before one that begins with a digit; null when nothing can stand in it. */
export function makeSlug(text: string, prefix: string): string | null {
  const slug = foldText(text)
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  if (!slug) return null;
  const begun = /^[a-z]/.test(slug) ? slug : `${prefix}_${slug}`;
  return begun.slice(0, MAX_SLUG).replace(/_+$/, '');
}

// As many values as a sentence holds, and as many of a longer list as show what they are like.
const TOLD_WHOLE = 15;
const TOLD_OF_MORE = 3;

/** "A, B or C", and of a long list a few with how many there are. */
export function listValues(values: readonly unknown[]): string {
  const named = values.map(String);
  if (named.length > TOLD_WHOLE)
    return `${named.length} values, among them ${listValues(named.slice(0, TOLD_OF_MORE))}`;
  const last = named.at(-1) ?? '';
  return named.length > 1 ? `${named.slice(0, -1).join(', ')} or ${last}` : last;
}

/** "1 item", "2 items" */
export const formatCount = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;

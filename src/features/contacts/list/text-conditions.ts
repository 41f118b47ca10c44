/** Parts of texts of contacts, as conditions that the trigrams of the index contacts_search can answer. */
import type { BindValue, Condition } from '../../../platform/filters/conditions.ts';
import type { Operator } from '../../../platform/filters/items.ts';
import { hasTrigram, isLetterPair, pairCondition } from '../../../platform/words.ts';

// The same expression as in the index contacts_search.
export const MARKS = `contact_marks(name, email, phone_number, professional_network_identifier,
  coalesce(folded_name, '') || coalesce(folded_email, ''))`;
interface IndexedText {
  /** The expression that the index holds. */
  expression: string;
  /** The SQL expression of the value, folded like the indexed expression. */
  value: string;
  /** The same value as the database will fold it. */
  folded: string;
}

/** A condition for the trigram index of an expression; null when the value has no trigram. */
export function partIndexed({ expression, value, folded }: IndexedText, operator: Operator): Condition['indexed'] {
  const from = operator === 'contains' || operator === 'ends_with' ? '%' : '';
  const to = operator === 'contains' || operator === 'starts_with' ? '%' : '';
  if (operator === 'contains' && WORDS.test(folded))
    return (more) => wordsIndexed(expression, listWordEnds(folded), more);
  if (hasTrigram(folded, from === '', to === ''))
    return () => `${expression} like '${from}' || like_literal(${value}) || '${to}'`;
  return operator === 'contains' && isLetterPair(folded) ? pairIndexed(expression, folded) : null;
}

// Matches several words of plain letters, as in names.
const WORDS = /^[a-z]+(?: [a-z]+)+$/;

/** Returns the last three letters of each word and the blank after it; a shorter word as a whole with the blanks around it. */
function listWordEnds(words: string): string[] {
  const ends = [...words.matchAll(/[a-z]+/g)].map(({ 0: word, index }) => {
    const end = index + word.length;
    return words.slice(word.length < 3 ? Math.max(index - 1, 0) : end - 3, end + 1);
  });
  return ends.filter((end) => hasTrigram(end, false, false));
}

/** PostgreSQL compares each trigram of a text with each row that has the rarest one. Only the ends of words take half the time. */
function wordsIndexed(expression: string, ends: string[], more: BindValue): string {
  return ends.map((end) => `${expression} like '%' || like_literal(${more(end)}) || '%'`).join(' and ');
}

/**
 * A condition for two letters inside a text. The index would miss them after a letter beyond ASCII. Names and e-mails with such letters are
 * few and marked, and phone numbers have none; in other texts such letters are not marked, so no index can be used.
 */
function pairIndexed(expression: string, pair: string): Condition['indexed'] {
  const trigrams: Condition['indexed'] = (more) => pairCondition(expression, more(pair));
  if (expression === 'phone_number') return trigrams;
  return expression.startsWith('folded_') ? (more) => `${trigrams(more)} or ${MARKS} @> '{+letters}'` : null;
}

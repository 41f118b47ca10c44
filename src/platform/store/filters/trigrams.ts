/** Parts of texts as conditions that a trigram index can answer. */
import { hasTrigram, isLetterPair, pairCondition } from '../../values/words.ts';
import type { BindValue, Condition } from './conditions.ts';
import type { Operator } from './items.ts';

export interface IndexedText {
  /** The expression that the index holds. */
  expression: string;
  /** Returns the SQL expression of the value, folded like the indexed expression. */
  value: (bind: BindValue) => string;
  /** The same value as the database will fold it. */
  folded: string;
  /**
   * An SQL condition that holds for every text in which two letters may stand behind a letter beyond ASCII, where the index does not find
   * them; "false" where no text has such letters, and null where it is not known which texts have them.
   */
  beyondAscii: string | null;
}

/** A condition for the trigram index of an expression; null when the value has no trigram. */
export function partIndexed(text: IndexedText, operator: Operator): Condition['indexed'] {
  const { expression, value, folded } = text;
  const from = operator === 'contains' || operator === 'ends_with' ? '%' : '';
  const to = operator === 'contains' || operator === 'starts_with' ? '%' : '';
  if (operator === 'contains' && WORDS.test(folded))
    return (more) => wordsIndexed(expression, listWordEnds(folded), more);
  if (hasTrigram(folded, from === '', to === ''))
    return (more) => `${expression} like '${from}' || like_literal(${value(more)}) || '${to}'`;
  return operator === 'contains' && isLetterPair(folded) ? pairIndexed(text) : null;
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

/** A condition for two letters inside a text. */
function pairIndexed({ expression, folded, beyondAscii }: IndexedText): Condition['indexed'] {
  return beyondAscii === null ? null : (more) => `${pairCondition(expression, more(folded))} or ${beyondAscii}`;
}

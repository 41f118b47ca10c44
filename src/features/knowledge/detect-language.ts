/** Detects the language of a text by its most frequent words, which the rules of stems leave out. */
import type { TenantRead } from '../../platform/store/tenant.ts';
import { countFrequentWords } from './queries.ts';
import { ITEM_LANGUAGES, type ItemLanguage } from './schemas.ts';

// Some hundred words tell languages apart, however long the text is.
const MOST_CHARACTERS = 8_000;
const MOST_WORDS = 500;

/** Returns the language whose frequent words a text has most of; null when that does not decide it, as in a text of two words. */
export async function detectLanguage(tx: TenantRead, text: string): Promise<ItemLanguage | null> {
  const words =
    text
      .slice(0, MOST_CHARACTERS)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  const counts = await countFrequentWords(tx, words.slice(0, MOST_WORDS));
  const [first, second] = ITEM_LANGUAGES.toSorted((a, b) => counts[b] - counts[a]);
  return first && second && counts[first] > counts[second] ? first : null;
}

/**
 * Finds words that mean nearly the same as those of a question, in lists of everyday words of business. The lists are about no single
 * company, and no word is added to them because one of the questions of test/recall is not answered.
 */
import type { TenantRead } from '../../../platform/tenant.ts';
import { foldText } from '../../../platform/words.ts';
import type { ItemLanguage } from '../schemas.ts';
import { findStems, type StemmedWord } from '../search-queries.ts';
import { ENGLISH } from './english.ts';
import { PORTUGUESE } from './portuguese.ts';
import { SPANISH } from './spanish.ts';

/** Words with one meaning, as a query for the stems of passages in their language. */
export interface SynonymGroup {
  language: ItemLanguage;
  query: string;
}

const LANGUAGES = ['pt', 'en', 'es'] as const;
const LISTS: Record<ItemLanguage, string> = { pt: PORTUGUESE, en: ENGLISH, es: SPANISH };
// The most groups that one question looks up.
const MOST_GROUPS = 24;

interface Thesaurus {
  /** By language and stem. */
  byStem: Map<string, SynonymGroup[]>;
  phrases: { phrase: string; group: SynonymGroup }[];
}

/** Returns the groups that have a word or a phrase of the question. */
export async function findSynonyms(read: TenantRead, question: string, words: string[]): Promise<SynonymGroup[]> {
  const { byStem, phrases } = await loadThesaurus(read);
  const text = ` ${splitWords(question).join(' ')} `;
  const found = new Set(phrases.filter(({ phrase }) => text.includes(` ${phrase} `)).map(({ group }) => group));
  for (const stems of await findStems(read, words)) {
    for (const language of LANGUAGES)
      for (const group of byStem.get(`${language} ${stems[language]}`) ?? []) found.add(group);
  }
  return [...found].slice(0, MOST_GROUPS);
}

let loading: Promise<Thesaurus> | null = null;

/** Makes the thesaurus once in a process. The stems come from PostgreSQL, so that they are those of the passages. */
function loadThesaurus(read: TenantRead): Promise<Thesaurus> {
  loading ??= makeThesaurus(read).catch((error: unknown) => {
    // Failure policy: the next search tries again.
    loading = null;
    throw error;
  });
  return loading;
}

async function makeThesaurus(read: TenantRead): Promise<Thesaurus> {
  const groups = LANGUAGES.flatMap((language) =>
    LISTS[language]
      .trim()
      .split('\n')
      .map((line) => ({ language, entries: line.split(', ').map(splitWords) })),
  );
  const words = [...new Set(groups.flatMap(({ entries }) => entries.filter(isWord).flat()))];
  const stemmed = new Map((await findStems(read, words)).map((found) => [found.word, found]));
  const thesaurus: Thesaurus = { byStem: new Map(), phrases: [] };
  for (const { language, entries } of groups) addGroup(thesaurus, { language, entries }, stemmed);
  return thesaurus;
}

function addGroup(
  { byStem, phrases }: Thesaurus,
  { language, entries }: { language: ItemLanguage; entries: string[][] },
  stemmed: Map<string, StemmedWord>,
): void {
  const stems = [...new Set(entries.filter(isWord).flatMap(([word = '']) => stemmed.get(word)?.[language] ?? []))];
  const group = { language, query: stems.map((stem) => `'${stem}'`).join(' | ') };
  for (const stem of stems) {
    const key = `${language} ${stem}`;
    byStem.set(key, [...(byStem.get(key) ?? []), group]);
  }
  for (const entry of entries) if (!isWord(entry)) phrases.push({ phrase: entry.join(' '), group });
}

const isWord = (entry: string[]): boolean => entry.length === 1;

const splitWords = (text: string): string[] => foldText(text).match(/[\p{L}\p{N}]+/gu) ?? [];

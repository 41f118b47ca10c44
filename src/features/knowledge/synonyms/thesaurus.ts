/** Groups of words with one meaning, in a form in which those of a question are found. */
import type { TenantRead } from '../../../platform/store/tenant.ts';
import { foldText } from '../../../platform/values/words.ts';
import type { ItemLanguage } from '../schemas.ts';
import { findStems, type StemmedWord } from '../search-queries.ts';

/** Words with one meaning, as a query for the stems of passages in their language. */
export interface StemGroup {
  language: ItemLanguage;
  query: string;
}

export interface Thesaurus {
  /** By language and stem. */
  byStem: Map<string, StemGroup[]>;
  phrases: { phrase: string; group: StemGroup }[];
}

/** A group as people write it. */
export interface WordGroup {
  language: ItemLanguage;
  words: string[];
}

const LANGUAGES = ['pt', 'en', 'es'] as const;

/** The stems come from PostgreSQL, so that they are those of the passages. */
export async function makeThesaurus(read: TenantRead, written: WordGroup[]): Promise<Thesaurus> {
  const groups = written.map(({ language, words }) => ({ language, entries: words.map(splitWords) }));
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
  // Words that every text has have no stem, and find nothing.
  if (stems.length === 0) return;
  const group = { language, query: stems.map((stem) => `'${stem}'`).join(' | ') };
  for (const stem of stems) {
    const key = `${language} ${stem}`;
    byStem.set(key, [...(byStem.get(key) ?? []), group]);
  }
  for (const entry of entries) if (!isWord(entry)) phrases.push({ phrase: entry.join(' '), group });
}

/** Returns the groups that have one of these words or a phrase of the question. */
export function findGroups(
  { byStem, phrases }: Thesaurus,
  { question, stems }: { question: string; stems: StemmedWord[] },
): StemGroup[] {
  const text = ` ${splitWords(question).join(' ')} `;
  const found = new Set(phrases.filter(({ phrase }) => text.includes(` ${phrase} `)).map(({ group }) => group));
  for (const word of stems) {
    for (const language of LANGUAGES)
      for (const group of byStem.get(`${language} ${word[language]}`) ?? []) found.add(group);
  }
  return [...found];
}

const isWord = (entry: string[]): boolean => entry.length === 1;

export const splitWords = (text: string): string[] => foldText(text).match(/[\p{L}\p{N}]+/gu) ?? [];

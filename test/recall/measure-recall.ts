/** Measures how often a search finds the passage that answers a question, by each way of searching alone and by all of them together. */
import { joinLists, rankPassages } from '../../src/features/knowledge/search.ts';
import { findLibrary, type PassageKey } from '../../src/features/knowledge/search-queries.ts';
import type { Kit } from '../../src/kit.ts';
import { LANGUAGES, type Language, type LoadedSet, type Question } from './question-set.ts';

const METHODS = ['stems', 'spelling', 'vectors', 'hybrid'] as const;
type Method = (typeof METHODS)[number];

/** Up to which place of a list an answer counts as found. */
const DEPTHS = [1, 3, 10] as const;
const ASKED_AT_ONCE = 4;

export interface RankedQuestion extends Question {
  /** The place, from 1, at which each method finds the answer. */
  ranks: Record<Method, number>;
}

export interface Recall {
  language: Language;
  method: Method;
  questions: number;
  /** How many answers are found up to each of the depths. */
  found: number[];
}

/** Asks all questions of the set. */
export async function rankAnswers(kit: Kit, { company, questions }: LoadedSet): Promise<RankedQuestion[]> {
  const ranked: RankedQuestion[] = [];
  for (let at = 0; at < questions.length; at += ASKED_AT_ONCE) {
    const some = questions.slice(at, at + ASKED_AT_ONCE);
    ranked.push(...(await Promise.all(some.map((question) => rankAnswer(kit, company, question)))));
  }
  return ranked;
}

async function rankAnswer(kit: Kit, companyId: string, question: Question): Promise<RankedQuestion> {
  const read = kit.database.read(companyId);
  const library = (await findLibrary(read)) ?? { passages: 0, version: 0 };
  const lists = await rankPassages(kit, { read, companyId }, { query: question.text, items: null }, library);
  const hybrid = joinLists(kit, lists).map(({ entry }) => entry);
  const findRank = (list: PassageKey[]): number => {
    const at = list.findIndex(({ item, position }) => item === question.item && position === question.position);
    return at < 0 ? Infinity : at + 1;
  };
  const { stems, spelling, vectors } = lists;
  const ranks = { stems: findRank(stems), spelling: findRank(spelling), vectors: findRank(vectors) };
  return { ...question, ranks: { ...ranks, hybrid: findRank(hybrid) } };
}

/** Counts the answers that each method finds, by language. */
export function countRecall(ranked: RankedQuestion[]): Recall[] {
  return LANGUAGES.flatMap((language) => {
    const asked = ranked.filter((question) => question.language === language);
    return METHODS.map((method) => {
      const found = DEPTHS.map((depth) => asked.filter(({ ranks }) => ranks[method] <= depth).length);
      return { language, method, questions: asked.length, found };
    });
  });
}

/** Describes where the hybrid finds fewer answers than one of its parts. */
export function listLosses(recalls: Recall[]): string[] {
  return recalls.flatMap(({ language, method, found }) => {
    const hybrid = recalls.find((other) => other.language === language && other.method === 'hybrid');
    return DEPTHS.flatMap((depth, at) => {
      const [part = 0, whole = 0] = [found[at], hybrid?.found[at]];
      return whole < part ? [`${language}: ${method} finds ${part} in the first ${depth}, the hybrid ${whole}`] : [];
    });
  });
}

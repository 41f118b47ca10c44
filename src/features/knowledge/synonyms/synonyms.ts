/**
 * Finds words that mean nearly the same as those of a question: those that the company has written, and lists of everyday words of business.
 * The lists are about no single company, and no word is added to them because one of the questions of test/recall is not answered.
 */
import type { TenantRead } from '../../../platform/store/tenant.ts';
import type { ItemLanguage } from '../schemas.ts';
import { findStems } from '../search-queries.ts';
import { ENGLISH } from './english.ts';
import { PORTUGUESE } from './portuguese.ts';
import { findSynonymsRevision, findSynonymsRow } from './queries.ts';
import { SPANISH } from './spanish.ts';
import { findGroups, makeThesaurus, type StemGroup, type Thesaurus, type WordGroup } from './thesaurus.ts';

const LISTS: Record<ItemLanguage, string> = { pt: PORTUGUESE, en: ENGLISH, es: SPANISH };
// The most groups that one question looks up.
const MOST_GROUPS = 24;
// The companies whose own synonyms a process keeps; with more it starts again, because making them takes milliseconds.
const MOST_KEPT = 200;

/** Returns the groups that have a word or a phrase of the question, those of the company first. */
export async function findSynonyms(read: TenantRead, question: string, words: string[]): Promise<StemGroup[]> {
  const own = await loadOwn(read);
  const common = await loadCommon(read);
  const asked = { question, stems: await findStems(read, words) };
  const found = [own, common].flatMap((thesaurus) => (thesaurus ? findGroups(thesaurus, asked) : []));
  return found.slice(0, MOST_GROUPS);
}

const kept = new Map<string, { revision: number; thesaurus: Thesaurus }>();

/** Returns null for a company without synonyms of its own. */
async function loadOwn(read: TenantRead): Promise<Thesaurus | null> {
  const revision = await findSynonymsRevision(read);
  if (revision === null) return null;
  const known = kept.get(read.companyId);
  if (known?.revision === revision) return known.thesaurus;
  const row = await findSynonymsRow(read);
  if (!row) return null;
  const thesaurus = await makeThesaurus(read, row.groups);
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(read.companyId, { revision: row.revision, thesaurus });
  return thesaurus;
}

let loading: Promise<Thesaurus> | null = null;

/** Makes the thesaurus of everyday words once in a process. */
function loadCommon(read: TenantRead): Promise<Thesaurus> {
  loading ??= makeThesaurus(read, listCommon()).catch((error: unknown) => {
    // Failure policy: the next search tries again.
    loading = null;
    throw error;
  });
  return loading;
}

const listCommon = (): WordGroup[] =>
  (['pt', 'en', 'es'] as const).flatMap((language) =>
    LISTS[language]
      .trim()
      .split('\n')
      .map((line) => ({ language, words: line.split(', ') })),
  );

/** Finds passages for a question, by stems, by spelling and by vectors. */
import type { Kit } from '../../kit.ts';
import type { Acting } from '../../platform/store/tenant.ts';
import type { VectorBlock } from '../../platform/store/vectors/protocol.ts';
import { chooseEmbedder } from './embedder.ts';
import type { Embedder } from './embedding.ts';
import { fuseRanks, type Fused } from './fusion.ts';
import type { KnowledgeSearch, KnowledgeSearchResult } from './schemas.ts';
import {
  findBySpelling,
  findByStems,
  findLibrary,
  listVectorRows,
  measureCoverage,
  readPassages,
  readVectorRows,
  type FoundPassage,
  type PassageKey,
  type VectorRow,
  type WordSearch,
} from './search-queries.ts';
import { findSynonyms } from './synonyms/synonyms.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// How many passages each of the three lists has, and how many words of a question are looked up.
const LIST_LENGTH = declareLimit(50, {
  topic: 'Knowledge',
  what: 'Search: passages',
  beyond: 'the others are left out',
});
const MAX_WORDS = declareLimit(24, { topic: 'Knowledge', what: 'Search: words', beyond: 'the others are ignored' });
const MAX_SPELLED_WORDS = 8;
// A shorter word is spelled nearly like many others.
const MIN_SPELLED = 4;

// The nearest vectors are chosen before it is known which items they belong to.
const MORE_FOR_ITEMS = 10;

const DEFAULT_LIMIT = 10;
// An item that is replaced between two statements of a search makes the search start again, at most this often in all.
const ATTEMPTS = 3;

export async function searchKnowledge(
  kit: Kit,
  tenant: Acting,
  { query, limit = DEFAULT_LIMIT }: KnowledgeSearch,
): Promise<KnowledgeSearchResult> {
  const found = await findPassages(kit, tenant, { query, limit, items: null });
  return {
    result: found.map(({ item, name, headings, content, position, score }) => ({
      item,
      name,
      headings: headings.split('\n').slice(1),
      content,
      position,
      score,
    })),
  };
}

interface PassageSearch {
  query: string;
  limit: number;
  /** The items in which passages are looked for; null for all of the company. */
  items: string[] | null;
}

/** Finds passages for a question, the best first. */
async function findPassages(kit: Kit, tenant: Acting, asked: PassageSearch): Promise<ScoredPassage[]> {
  for (let attempt = 1; ; attempt += 1) {
    const { passages, isComplete } = await searchOnce(kit, tenant, asked);
    if (isComplete || attempt === ATTEMPTS) return passages;
  }
}

type ScoredPassage = FoundPassage & { score: number };

/** Searches once. The result is not complete when passages that were found are replaced already. */
async function searchOnce(
  kit: Kit,
  tenant: Acting,
  { query, limit, items }: PassageSearch,
): Promise<{ passages: ScoredPassage[]; isComplete: boolean }> {
  const library = await findLibrary(tenant.read);
  if (!library || library.passages === 0) return { passages: [], isComplete: true };
  const lists = await rankPassages(kit, tenant, { query, items }, library);
  const best = joinLists(kit, lists).slice(0, limit);
  const keys = best.map(({ entry }) => entry);
  const found = new Map((await readPassages(tenant.read, keys)).map((passage) => [keyText(passage), passage]));
  const passages = best.flatMap(({ entry, score }) => {
    const passage = found.get(keyText(entry));
    return passage ? [{ ...passage, score }] : [];
  });
  return { passages, isComplete: found.size === keys.length };
}

export interface CoveringPassage extends ScoredPassage {
  /** The share of the words of the question, from 0 to 1, that the passage has; words that every text has are not counted. */
  coverage: number;
}

/** Finds passages that answer a question, the best first. MEDIA is left out, because it has no text that answers. */
export async function findAnswers(kit: Kit, acting: Acting, asked: PassageSearch): Promise<CoveringPassage[]> {
  const passages = await findPassages(kit, acting, asked);
  const words = listWords(asked.query);
  const synonyms = await findSynonyms(acting.read, asked.query, words);
  const shares = await measureCoverage(acting.read, { words, synonyms }, passages);
  const byKey = new Map(shares.map((share) => [keyText(share), share.coverage]));
  return passages
    .map((passage) => ({ ...passage, coverage: byKey.get(keyText(passage)) ?? 0 }))
    .toSorted((a, b) => b.coverage - a.coverage || b.score - a.score);
}

/** The passages that each way of searching finds, the best first. */
export interface RankedLists {
  stems: PassageKey[];
  spelling: PassageKey[];
  vectors: PassageKey[];
}

// Words that are spelled alike often mean something else.
const SPELLING_WEIGHT = 0.3;

/** Joins the lists to one, the best first. */
export const joinLists = (kit: Kit, { stems, spelling, vectors }: RankedLists): Fused<PassageKey>[] =>
  fuseRanks(
    [
      { entries: stems, weight: 1 },
      { entries: spelling, weight: SPELLING_WEIGHT },
      { entries: vectors, weight: chooseEmbedder(kit).weight },
    ],
    keyText,
  );

export async function rankPassages(
  kit: Kit,
  { read, companyId }: Pick<Acting, 'read' | 'companyId'>,
  { query, items }: Pick<PassageSearch, 'query' | 'items'>,
  { passages, version }: { passages: number; version: number },
): Promise<RankedLists> {
  const words = listWords(query);
  const spelled = words.filter((word) => word.length >= MIN_SPELLED).slice(0, MAX_SPELLED_WORDS);
  const [stems, spelling, vectors] = await Promise.all([
    words.length > 0 ? rankByStems(read, query, { words, passages, limit: LIST_LENGTH, items }) : [],
    spelled.length > 0 ? findBySpelling(read, { words: spelled, passages, limit: LIST_LENGTH, items }) : [],
    findByVectors({ kit, read, companyId }, { query, items }, version),
  ]);
  return { stems, spelling, vectors };
}

/** Finds passages by the stems of the words and of their synonyms. */
async function rankByStems(read: Acting['read'], query: string, asked: WordSearch): Promise<PassageKey[]> {
  return findByStems(read, { ...asked, synonyms: await findSynonyms(read, query, asked.words) });
}

/** The different words of a question, as they are written. */
export const listWords = (query: string): string[] =>
  [...new Set(query.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu))].slice(0, MAX_WORDS);

interface VectorSearch extends Pick<Acting, 'read' | 'companyId'> {
  kit: Kit;
}

async function findByVectors(
  { kit, read, companyId }: VectorSearch,
  { query, items }: Pick<PassageSearch, 'query' | 'items'>,
  version: number,
): Promise<PassageKey[]> {
  const { model, embed } = chooseEmbedder(kit);
  const question = await embedQuestion(kit, embed, query);
  if (!question || question.every((value) => value === 0)) return [];
  const near = await kit.vectors.find(
    { owner: companyId, question, limit: items ? LIST_LENGTH * MORE_FOR_ITEMS : LIST_LENGTH },
    {
      version,
      list: async () => (await listVectorRows(read, model)).map(rowText),
      read: async (keys) => (await readVectorRows(read, model, keys.map(parseRow))).map(toBlock),
    },
  );
  return near
    .filter(({ score }) => score > 0)
    .map(({ key, place }) => {
      const { item, revision, first_position } = parseRow(key);
      return { item, revision, position: first_position + place };
    })
    .filter(({ item }) => items === null || items.includes(item))
    .slice(0, LIST_LENGTH);
}

async function embedQuestion(kit: Kit, embed: Embedder['embed'], query: string): Promise<Float32Array | null> {
  try {
    const [question] = await embed([query], AbortSignal.timeout(EMBED_MS));
    return question ?? null;
  } catch (error) {
    // Failure policy: without a vector of the question, passages are found by its words alone.
    kit.log.warn({ err: error }, 'knowledge: a question got no vector');
    return null;
  }
}

// A person waits for the answer.
const EMBED_MS = 5_000;

const keyText = ({ item, revision, position }: PassageKey): string => `${item} ${revision} ${position}`;
const rowText = ({ item, revision, first_position }: VectorRow): string => `${item} ${revision} ${first_position}`;

function parseRow(key: string): VectorRow {
  const [item = '', revision, first_position] = key.split(' ');
  return { item, revision: Number(revision), first_position: Number(first_position) };
}

function toBlock(row: VectorRow & { dimensions: number; vectors: Buffer }): VectorBlock {
  // The bytes are copied, because a buffer of the driver may share its memory with others.
  const { buffer } = new Uint8Array(row.vectors);
  return { key: rowText(row), dimensions: row.dimensions, values: new Float32Array(buffer) };
}

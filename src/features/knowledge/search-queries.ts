/** Statements of the search. Each of the lists looks at a limited number of candidates, so its cost does not grow with what a company knows. */
import { many, maybeOne } from '../../platform/store/db.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import type { ItemRevision } from './passage-queries.ts';
import type { ItemLanguage } from './schemas.ts';

/** Where a passage is: in an item, as it was at a revision, at a position. */
export interface PassageKey extends ItemRevision {
  position: number;
}

export interface RankedPassage extends PassageKey {
  score: number;
}

/** How many passages the company has, and which version of them; null before the first. */
export function findLibrary(tx: TenantRead): Promise<{ passages: number; version: number } | null> {
  return maybeOne(tx, {
    name: 'knowledge.findLibrary',
    text: 'select passages, version::float8 as version from knowledge_libraries where company_id = $1',
    values: [tx.companyId],
  });
}

export interface WordSearch {
  words: string[];
  /** How many passages the company has; a word counts the more, the fewer of them have it. */
  passages: number;
  limit: number;
  /** The items in which passages are looked for; null for all of the company. */
  items: string[] | null;
}

// The most passages that are looked at for each word. A word that more of them have says little.
const MOST_CANDIDATES = 2_000;
// Comparing the spelling takes some tenths of a millisecond for each passage.
const MOST_SPELLED = 200;

const amongItems = (place: number): string => `and ($${place}::text[] is null or item_id = any($${place}))`;

/**
 * The end of a statement: adds up the `rank` of each hit (place, item_id, revision, position, rank), weighted by how rare its word is, and
 * keeps passages that belong to the current revision of their item.
 */
const RANKING = `weighted as (
    select item_id, revision, position, rank * ln(1 + $3::float8 / count(*) over (partition by place)) as score from hits
  ), sums as (
    select item_id, revision, position, sum(score) as score from weighted group by item_id, revision, position
  )
  select s.item_id as item, s.revision, s.position, s.score from sums s
    join knowledge_items i on i.company_id = $1 and i._id = s.item_id and i.indexed_revision = s.revision
  order by s.score desc, s.item_id, s.position limit $4`;

export interface StemSearch extends WordSearch {
  /** Queries for words that mean nearly the same as words of the question, in passages of one language. */
  synonyms: { language: ItemLanguage; query: string }[];
}

// A word of the same meaning counts less than the word itself, because it often means something else in a passage.
const SYNONYM_WEIGHT = 0.2;

/** Finds passages that have stems of these words, or of their synonyms. */
export function findByStems(
  tx: TenantRead,
  { words, synonyms, passages, limit, items }: StemSearch,
): Promise<RankedPassage[]> {
  return many(tx, {
    name: 'knowledge.findByStems',
    planEachTime: true,
    // A word has several stems, and ts_rank() divides by their number, so the rank is multiplied by it again. Numbers of occurrences count
    // less and less.
    text: `with asked as materialized (
        select place, query, null as language, 1 as weight from (
          select w.place, word_query(w.word) as query from unnest($2::text[]) with ordinality as w (word, place)
        ) words where query is not null
        union all
        select -s.place, s.query, s.language, ${SYNONYM_WEIGHT}
        from unnest($5::tsquery[], $6::text[]) with ordinality as s (query, language, place)
      ), hits as materialized (
        select a.place, c.item_id, c.revision, c.position, a.weight * ts_rank(c.stems, a.query) * ((numnode(a.query) + 1) / 2) as rank
        from asked a cross join lateral (
          select item_id, revision, position, stems from knowledge_chunks
          where company_id = $1 and stems @@ a.query and (a.language is null or language = a.language)
            ${amongItems(7)} limit ${MOST_CANDIDATES}
        ) c
      ), ${RANKING}`,
    values: [
      tx.companyId,
      words,
      passages,
      limit,
      synonyms.map(({ query }) => query),
      synonyms.map(({ language }) => language),
      items,
    ],
  });
}

/**
 * Finds passages that have words which are spelled nearly like these. A word that occurs in some passage has no typing error, so nothing else
 * is looked up for it.
 */
export function findBySpelling(
  tx: TenantRead,
  { words, passages, limit, items }: WordSearch,
): Promise<RankedPassage[]> {
  return many(tx, {
    name: 'knowledge.findBySpelling',
    planEachTime: true,
    text: `with asked as materialized (
        select place, fold(word) as word from (
          select w.place, w.word, word_query(w.word) as query from unnest($2::text[]) with ordinality as w (word, place)
        ) words where query is not null
          and not exists (select from knowledge_chunks where company_id = $1 and stems @@ query)
      ), hits as materialized (
        select a.place, c.item_id, c.revision, c.position, word_similarity(a.word, c.folded) as rank
        from asked a cross join lateral (
          select item_id, revision, position, folded from knowledge_chunks where company_id = $1 and folded %> a.word ${amongItems(5)} limit ${MOST_SPELLED}
        ) c
      ), ${RANKING}`,
    values: [tx.companyId, words, passages, limit, items],
  });
}

/** Measures how many of these words each of these passages of knowledge has, also by a synonym, or spelled a little differently. */
export function measureCoverage(
  tx: TenantRead,
  { words, synonyms }: Pick<StemSearch, 'words' | 'synonyms'>,
  keys: readonly PassageKey[],
): Promise<(PassageKey & { coverage: number })[]> {
  return many(tx, {
    name: 'knowledge.measureCoverage',
    text: `with asked as materialized (
        select word, query from (select word, word_query(word) as query from unnest($2::text[]) as word) words where query is not null
      )
      select c.item_id as item, c.revision, c.position,
        (select count(*) filter (where c.stems @@ a.query or c.folded %> fold(a.word) or exists (
            select from unnest($6::tsquery[], $7::text[]) as s (query, language)
            where s.language = c.language and c.stems @@ s.query and to_tsvector(stem_rules(s.language), fold(a.word)) @@ s.query
          ))::float8 / greatest(count(*), 1) from asked a) as coverage
      from unnest($3::text[], $4::int[], $5::int[]) as k (item_id, revision, position)
        join knowledge_chunks c on c.company_id = $1 and c.item_id = k.item_id and c.revision = k.revision and c.position = k.position
        join knowledge_items i on i.company_id = c.company_id and i._id = c.item_id and i.type = 'KNOWLEDGE'`,
    values: [
      tx.companyId,
      words,
      keys.map(({ item }) => item),
      keys.map(({ revision }) => revision),
      keys.map(({ position }) => position),
      synonyms.map(({ query }) => query),
      synonyms.map(({ language }) => language),
    ],
  });
}

/** A word with its stem in each language; null where it is too frequent to say anything. */
export type StemmedWord = { word: string } & Record<ItemLanguage, string | null>;

/** Finds the stems of words, without case and accents, as those of passages are. */
export function findStems(tx: TenantRead, words: string[]): Promise<StemmedWord[]> {
  return many(tx, {
    name: 'knowledge.findStems',
    text: `select word, (ts_lexize('pg_catalog.portuguese_stem', fold(word)))[1] as pt, (ts_lexize('pg_catalog.english_stem', fold(word)))[1] as en,
        (ts_lexize('pg_catalog.spanish_stem', fold(word)))[1] as es
      from unnest($1::text[]) as w (word)`,
    values: [words],
  });
}

export interface FoundPassage extends PassageKey {
  /** The name of the item. */
  name: string;
  language: ItemLanguage;
  /** The name of the item and the headings above the passage, one a line. */
  headings: string;
  content: string;
}

/** Reads these passages, except those that were replaced meanwhile. */
export function readPassages(tx: TenantRead, keys: PassageKey[]): Promise<FoundPassage[]> {
  return many(tx, {
    name: 'knowledge.readPassages',
    text: `select c.item_id as item, c.revision, c.position, i.name, c.language, c.headings, c.content
      from unnest($2::text[], $3::int[], $4::int[]) as k (item_id, revision, position)
        join knowledge_chunks c on c.company_id = $1 and c.item_id = k.item_id and c.revision = k.revision and c.position = k.position
        join knowledge_items i on i.company_id = $1 and i._id = k.item_id and i.indexed_revision = k.revision`,
    values: [
      tx.companyId,
      keys.map(({ item }) => item),
      keys.map(({ revision }) => revision),
      keys.map(({ position }) => position),
    ],
  });
}

/** Names a row of vectors. */
export interface VectorRow extends ItemRevision {
  first_position: number;
}

/** Lists the rows of vectors of a model. */
export function listVectorRows(tx: TenantRead, model: string): Promise<VectorRow[]> {
  return many(tx, {
    name: 'knowledge.listVectorRows',
    text: `select v.item_id as item, v.revision, v.first_position from knowledge_vectors v
        join knowledge_items i on i.company_id = v.company_id and i._id = v.item_id and i.indexed_revision = v.revision
      where v.company_id = $1 and v.model = $2`,
    values: [tx.companyId, model],
  });
}

export interface ReadVectorRow extends VectorRow {
  dimensions: number;
  vectors: Buffer;
}

export function readVectorRows(tx: TenantRead, model: string, rows: VectorRow[]): Promise<ReadVectorRow[]> {
  return many(tx, {
    name: 'knowledge.readVectorRows',
    text: `select v.item_id as item, v.revision, v.first_position, v.dimensions, v.vectors
      from unnest($3::text[], $4::int[], $5::int[]) as k (item_id, revision, first_position)
        join knowledge_vectors v on v.company_id = $1 and v.item_id = k.item_id and v.revision = k.revision and v.model = $2
          and v.first_position = k.first_position`,
    values: [
      tx.companyId,
      model,
      rows.map(({ item }) => item),
      rows.map(({ revision }) => revision),
      rows.map(({ first_position }) => first_position),
    ],
  });
}

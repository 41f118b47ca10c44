/**
 * Questions as customers write them, and texts of companies of several trades in which they are answered, in three languages. The questions
 * were written before the search knew any synonym, and no synonym may be added because one of them is not answered.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { listWords } from '../../src/features/knowledge/search.ts';
import type { Json, Platform } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

export const LANGUAGES = ['pt', 'en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

export interface Question {
  language: Language;
  text: string;
  /** Where the answer is. */
  item: string;
  position: number;
  /** Whether the passage with the answer has any of its words, in some form. */
  sharesWord: boolean;
}

export interface LoadedSet {
  /** The company that knows all the texts. */
  company: string;
  passages: number;
  questions: Question[];
}

type Stage = Pick<Platform, 'call' | 'createCompany' | 'database'>;

/** Stores all texts as items of a new company, waits until they are found, and returns the questions with the places of their answers. */
export async function loadQuestionSet(stage: Stage): Promise<LoadedSet> {
  const { _id: company, key } = await stage.createCompany();
  for (const language of LANGUAGES) {
    for (const { name, content } of readTexts(language))
      await stage.call(201, 'POST', '/v1/knowledge/autcl', { key, body: { name, content, language } });
  }
  await waitUntil('the items to be prepared', async () => {
    const { body } = await stage.call(200, 'GET', '/v1/knowledge?limit=100', { key });
    return body.result.every(({ status }: Json) => status === 'READY');
  });
  const places = await readPlaces(stage, company);
  const questions: Question[] = [];
  for (const { language, text, headings } of LANGUAGES.flatMap(readQuestions)) {
    const place = places.get(headings);
    if (!place) throw new Error(`no passage answers: ${text}`);
    questions.push({ language, text, ...place, sharesWord: await sharesWord(stage, text, place) });
  }
  return { company, passages: places.size, questions };
}

interface Text {
  /** The name of the file, without its ending. */
  file: string;
  name: string;
  content: string;
}

/** Reads the texts of a language. The first line of each is the name of its item. */
function readTexts(language: Language): Text[] {
  return globSync('*.md', { cwd: join(import.meta.dirname, language) }).map((path) => {
    const [title = '', ...lines] = readFile(language, path).split('\n');
    return { file: basename(path, '.md'), name: title.replace('# ', ''), content: lines.join('\n') };
  });
}

/** A question, and the headings of the passage that answers it as the search stores them. */
export interface WrittenQuestion extends Pick<Question, 'language' | 'text'> {
  headings: string;
}

/** Reads the lines `file | heading above the answer | question` of a language. */
export function readQuestions(language: Language): WrittenQuestion[] {
  const names = new Map(readTexts(language).map(({ file, name }) => [file, name]));
  return readFile(language, 'questions.txt')
    .trim()
    .split('\n')
    .map((line) => {
      const [file = '', heading, text = ''] = line.split(' | ');
      return { language, text, headings: `${names.get(file)}\n${heading}` };
    });
}

type Place = Pick<Question, 'item' | 'position'>;

/** Returns the place of each passage by its headings. */
async function readPlaces({ database }: Stage, company: string): Promise<Map<string, Place>> {
  const rows = await database.sql<Place & { headings: string }>(
    `select item_id as item, position, headings from knowledge_chunks where company_id = $1`,
    [company],
  );
  return new Map(rows.map(({ headings, item, position }) => [headings, { item, position }]));
}

async function sharesWord({ database }: Stage, text: string, { item, position }: Place): Promise<boolean> {
  const [row] = await database.sql<{ shares: boolean | null }>(
    `select bool_or(stems @@ word_query(word)) as shares from unnest($1::text[]) as w (word), knowledge_chunks
      where item_id = $2 and position = $3`,
    [listWords(text), item, position],
  );
  return row?.shares === true;
}

const readFile = (language: Language, path: string): string =>
  readFileSync(join(import.meta.dirname, language, path), 'utf8');

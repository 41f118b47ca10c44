/** Answers with a passage of the knowledge base, word by word. This needs no model, so an installation without one answers as well. */
import type { TextMarks } from '../../../channels/marks.ts';
import type { Kit } from '../../../kit.ts';
import type { Acting } from '../../../platform/store/tenant.ts';
import { findAnswers, type CoveringPassage } from '../../knowledge/search.ts';
import { MAX_TEXT } from '../../messages/schemas.ts';
import type { Agent } from '../schemas.ts';
import type { ReadPassage } from '../turns/schemas.ts';
import type { Scene } from '../tools/tool.ts';
import type { FoundAnswer, Question } from './answer.ts';
import { findMarks, toPlainText } from './plain-text.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

// How many passages are compared with the question, and the longest question that is looked up.
const PASSAGES = 10;
const MOST_QUESTION = declareLimit(1_000, {
  topic: 'Agents',
  what: 'Knowledge: length of the question',
  unit: 'characters',
  beyond: 'cut',
});
// Each message is looked up by itself, which takes as long as looking up all of them together.
const MOST_TEXTS = declareLimit(5, {
  topic: 'Agents',
  what: 'Knowledge: messages that are answered with passages of their own',
  beyond: 'only the last ones',
});
/** A passage with fewer words of the question is rarely its answer. */
const LEAST_COVERAGE = 0.5;

const BREAK = '\n\n';
const SOURCE = { pt: 'Fonte', en: 'Source', es: 'Fuente' };

/** Answers all messages with one passage, or each message with its own where they differ. */
export async function answerFromPassages(
  { kit, acting, agent, conversation, read }: Scene,
  { asked, texts }: Question,
): Promise<FoundAnswer> {
  const lookUp = (text: string): Promise<CoveringPassage[]> => readPassages(kit, acting, agent, text);
  const found = await lookUp(asked);
  const each = texts.length > 1 ? await Promise.all(texts.slice(-MOST_TEXTS).map(lookUp)) : [];
  const own = each.flatMap((passages) => pickBest(passages, found[0]) ?? []);
  const distinct = own.filter((passage, index) => own.findIndex((other) => isSame(other, passage)) === index);
  const best = distinct.length > 1 ? distinct : [pickBest(found) ?? []].flat();
  read.passages.push(...best, ...found.filter((passage) => !best.some((other) => isSame(other, passage))));
  if (best.length === 0) return { text: null, reason: 'NO_ANSWER' };
  return { text: writeAnswer(best, findMarks(kit, conversation)), reason: null };
}

const isSame = (a: CoveringPassage, b: CoveringPassage): boolean => a.item === b.item && a.position === b.position;

/** Returns the best passage. If `preferred` is as good, returns it. Null if no passage answers. */
function pickBest(passages: CoveringPassage[], preferred?: CoveringPassage): CoveringPassage | null {
  const [first] = passages;
  if (!first || first.coverage < LEAST_COVERAGE) return null;
  // A question that is written in several messages has one passage, which also has the words of each.
  return passages.find((each) => preferred && isSame(each, preferred) && each.coverage >= first.coverage) ?? first;
}

/** Looks for passages that answer the question among those that the agent may read. */
export async function readPassages(
  kit: Kit,
  acting: Acting,
  { knowledge, knowledge_scope }: Pick<Agent, 'knowledge' | 'knowledge_scope'>,
  asked: string,
): Promise<CoveringPassage[]> {
  const query = asked.slice(0, MOST_QUESTION);
  if (query.trim() === '') return [];
  return findAnswers(kit, acting, { query, limit: PASSAGES, items: knowledge_scope === 'LISTED' ? knowledge : null });
}

export const toReadPassage = ({ item, name, position, coverage, content }: CoveringPassage): ReadPassage => ({
  item,
  name,
  position,
  coverage: Number(coverage.toFixed(2)),
  content,
});

function writeAnswer(passages: CoveringPassage[], marks: TextMarks): string {
  const { language = 'en' } = passages[0] ?? {};
  const source = `${SOURCE[language]}: ${[...new Set(passages.map(({ name }) => name))].join(', ')}`;
  const most = Math.floor((MAX_TEXT - source.length) / passages.length) - BREAK.length;
  const texts = passages.map(({ content }) =>
    toPlainText(content, { marks, keepsLink: () => true })
      .slice(0, most)
      .trimEnd(),
  );
  return [...texts, source].join(BREAK);
}

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
/** A passage with fewer words of the question is rarely its answer. */
const LEAST_COVERAGE = 0.5;

const SOURCE = { pt: 'Fonte', en: 'Source', es: 'Fuente' };

export async function answerFromPassages(
  { kit, acting, agent, conversation, read }: Scene,
  { asked }: Question,
): Promise<FoundAnswer> {
  read.passages.push(...(await readPassages(kit, acting, agent, asked)));
  const [best] = read.passages;
  if (!best || best.coverage < LEAST_COVERAGE) return { text: null, reason: 'NO_ANSWER' };
  return { text: writeAnswer(best, findMarks(kit, conversation)), reason: null };
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

function writeAnswer({ content, language, name }: CoveringPassage, marks: TextMarks): string {
  const source = `\n\n${SOURCE[language]}: ${name}`;
  return (
    toPlainText(content, { marks, keepsLink: () => true })
      .slice(0, MAX_TEXT - source.length)
      .trimEnd() + source
  );
}

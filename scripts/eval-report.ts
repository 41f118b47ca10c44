/** Measures the answers of an agent, and writes them for a terminal. */
import type { AgentTrial } from '../sdk/src/index.ts';
import { foldText } from '../src/platform/values/words.ts';

export interface EvalQuestion {
  question: string;
  /** Whether a person should answer it. */
  handoff: boolean;
}

export interface Evaluated extends EvalQuestion {
  trial: Pick<AgentTrial, 'outcome' | 'reason' | 'answer' | 'passages' | 'latency_ms'>;
}

// Shorter words stand in every text.
const MIN_WORD = 4;

const listWords = (text: string): string[] =>
  (foldText(text).match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length >= MIN_WORD);

/**
 * Returns the share of the words of an answer that stand in the passages or in the question, from 0 to 1. A low share hints at an answer that
 * the model has made up; one in another language than its passages has a low share as well.
 */
export function measureGroundedness({ question, trial: { answer, passages } }: Evaluated): number | null {
  const words = listWords(answer ?? '');
  if (words.length === 0) return null;
  const known = new Set(listWords([question, ...passages.map(({ name, content }) => `${name} ${content}`)].join(' ')));
  return words.filter((word) => known.has(word)).length / words.length;
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** Writes one answer in a few lines. */
export function toLine(evaluated: Evaluated): string {
  const { question, trial } = evaluated;
  const { answer, reason, latency_ms, passages } = trial;
  const grounded = measureGroundedness(evaluated);
  const [best] = passages;
  const facts = [
    best ? `best passage: ${best.name} (${percent(best.coverage)} of the question)` : 'no passage',
    grounded === null ? null : `grounded: ${percent(grounded)}`,
    `${latency_ms} ms`,
  ];
  const mark = isRight(evaluated) ? '✔' : '✖';
  return [
    `${mark} ${question}`,
    `  ${answer ?? `a person takes over (${reason})`}`,
    `  ${facts.filter(Boolean).join(' · ')}`,
  ]
    .join('\n')
    .replaceAll(/\n(?! )/g, '\n  ');
}

/** Whether the agent answered where it should, and handed over where it should. Whether the answer is true is for people to judge. */
const isRight = ({ handoff, trial }: Evaluated): boolean => handoff === (trial.outcome === 'HANDED_OVER');

export function summarize(evaluated: Evaluated[]): string {
  const shares = evaluated.map(measureGroundedness).filter((share) => share !== null);
  const latencies = evaluated.map(({ trial }) => trial.latency_ms).toSorted((a, b) => a - b);
  const answered = evaluated.filter(({ trial }) => trial.outcome === 'ANSWERED').length;
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return [
    `${evaluated.length} questions, ${answered} answered, ${evaluated.length - answered} handed over`,
    `${evaluated.filter(isRight).length} as expected`,
    ...(shares.length > 0 ? [`grounded: ${percent(mean)} on average`] : []),
    `${latencies[Math.floor(latencies.length / 2)] ?? 0} ms in the middle, ${latencies.at(-1) ?? 0} ms at most`,
  ].join('; ');
}

/**
 * Benchmark (recall): how many of the questions of test/recall are answered by the first passage, by one of the first three and of the first
 * ten, by each way of searching and in each language. All texts belong to one company.
 */
import { openPlatform } from '../test/support/platform.ts';
import { reportProgress } from '../test/support/progress.ts';
import { countRecall, listLosses, rankAnswers, type Recall } from '../test/recall/measure-recall.ts';
import { loadQuestionSet } from '../test/recall/question-set.ts';
import type { Figure } from './measure.ts';

export async function benchRecall(): Promise<Figure[]> {
  const { platform, close } = await openPlatform();
  try {
    const set = await loadQuestionSet(platform);
    reportProgress(`${set.questions.length} questions over ${set.passages} passages`);
    const ranked = await rankAnswers(platform.running.kit, set);
    const recalls = countRecall(ranked);
    const losses = listLosses(recalls);
    const unshared = countRecall(ranked.filter(({ sharesWord }) => !sharesWord));
    return [
      ...recalls.map((recall) => makeFigure('', recall, losses)),
      ...unshared.map((recall) => makeFigure(', no shared word', recall, [])),
    ];
  } finally {
    await close();
  }
}

/** The figure of the hybrid is met when it loses to none of its parts. */
function makeFigure(kind: string, { language, method, questions, found }: Recall, losses: string[]): Figure {
  const lost = method === 'hybrid' ? losses.filter((loss) => loss.startsWith(language)) : [];
  const isJudged = method === 'hybrid' && kind === '';
  return {
    name: `(recall) ${language} ${method}${kind}`,
    value: `${found.map((count) => `${Math.round((count * 100) / questions)} %`).join(', ')} of ${questions}`,
    goal: isJudged ? ['>= each part', ...lost].join('; ') : 'reported',
    met: lost.length === 0,
  };
}

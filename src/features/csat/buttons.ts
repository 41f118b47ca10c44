/** The ids of the buttons with which a contact answers a survey. */
import type { MessageContent } from '../../channels/content.ts';
import { SCORES, type Score } from './schemas.ts';

export const makeButtonId = (survey: string, score: Score): string => `csat:${survey}:${score}`;

const BUTTON = /^csat:([0-9a-f]{24}):([1-5])$/;

/** Returns the survey that a contact answers with this content, and the score; null for all other contents. */
export function readPressed(content: MessageContent): { survey: string; score: Score } | null {
  if (content.contentType !== 'INTERACTIVE') return null;
  const [, survey, digit] = BUTTON.exec(content.interactive.id ?? '') ?? [];
  const score = SCORES.find((each) => String(each) === digit);
  return survey === undefined || score === undefined ? null : { survey, score };
}

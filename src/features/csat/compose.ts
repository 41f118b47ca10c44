/** Writes the message of a survey, as each channel can show it. */
import { makeInteractiveOffer, type MessageContent } from '../../channels/content.ts';
import type { Kit } from '../../kit.ts';
import type { Place } from '../sends/due/automatic.ts';
import { signToken, readToken, type Named } from '../../platform/store/signed-tokens.ts';
import { getOwnProperty } from '../../platform/values/own-property.ts';
import { makeButtonId } from './buttons.ts';
import { SCORES, type Score } from './schemas.ts';

export const CSAT_PATH = '/csat';
const PURPOSE = 'csat';

/** Reads the last part of the address of a survey's page; null when the platform did not make it. */
export const readSurveyToken = ({ secrets }: Pick<Kit, 'secrets'>, token: string): Named | null =>
  readToken(secrets, PURPOSE, token);

const ENGLISH = ['😀 Good', '😐 Okay', '🙁 Bad'] as const;
const FACES: Record<string, readonly [string, string, string]> = {
  en: ENGLISH,
  'pt-BR': ['😀 Bom', '😐 Regular', '🙁 Ruim'],
  es: ['😀 Bueno', '😐 Regular', '🙁 Malo'],
};

/** Five stars, or three faces where the network takes fewer buttons. */
const listButtons = (most: number, language: string): { score: Score; title: string }[] => {
  if (most >= SCORES.length) return SCORES.toReversed().map((score) => ({ score, title: '★'.repeat(score) }));
  const [good, fair, bad] = getOwnProperty(FACES, language) ?? ENGLISH;
  return [
    { score: 5, title: good },
    { score: 3, title: fair },
    { score: 1, title: bad },
  ];
};

/** Asks with buttons; on a channel that has none, with the address of a page. */
export function composeSurvey(
  { channels, config, secrets }: Kit,
  { company, channel, id }: Place,
  { question, language }: { question: string; language: string },
): MessageContent {
  const { replyButtons } = channels.get(channel).can;
  if (replyButtons === 0) {
    const link = `${config.PUBLIC_URL}${CSAT_PATH}/${signToken(secrets, PURPOSE, { company, id })}`;
    return { contentType: 'TEXT', content: `${question}\n${link}` };
  }
  const buttons = listButtons(replyButtons, language).map(({ score, title }) => ({
    type: 'reply',
    reply: { id: makeButtonId(id, score), title },
  }));
  return {
    contentType: 'INTERACTIVE',
    content: question,
    interactive: makeInteractiveOffer('button', { action: { buttons } }),
  };
}

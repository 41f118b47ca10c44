/** The page on which a contact answers a survey. */
import { escapeHtml } from '../../platform/http/guides/markdown.ts';
import { renderPublicPage } from '../../platform/http/public-page.ts';
import { getOwnProperty } from '../../platform/values/own-property.ts';
import type { AskedSurvey } from './queries.ts';
import { MAX_COMMENT, SCORES, type Score } from './schemas.ts';

interface Words {
  /** What each score means, from 1 to 5. */
  scores: readonly [string, string, string, string, string];
  comment: string;
  button: string;
  doneTitle: string;
  done: string;
}

const ENGLISH: Words = {
  scores: ['Very dissatisfied', 'Dissatisfied', 'Neither', 'Satisfied', 'Very satisfied'],
  comment: 'What could be better? (optional)',
  button: 'Send',
  doneTitle: 'Thank you!',
  done: 'Your rating has been sent to {company}.',
};

const WORDS: Record<string, Words> = {
  en: ENGLISH,
  'pt-BR': {
    scores: ['Muito insatisfeito', 'Insatisfeito', 'Indiferente', 'Satisfeito', 'Muito satisfeito'],
    comment: 'O que podemos melhorar? (opcional)',
    button: 'Enviar',
    doneTitle: 'Obrigado!',
    done: 'Sua avaliação foi enviada a {company}.',
  },
  es: {
    scores: ['Muy insatisfecho', 'Insatisfecho', 'Indiferente', 'Satisfecho', 'Muy satisfecho'],
    comment: '¿Qué podemos mejorar? (opcional)',
    button: 'Enviar',
    doneTitle: '¡Gracias!',
    done: 'Su valoración se envió a {company}.',
  },
};

/** Asks for a score, or thanks for the one that was given. */
export function renderSurvey({ question, company, language, score }: AskedSurvey, chosen: Score | null): string {
  const words = getOwnProperty(WORDS, language) ?? ENGLISH;
  if (score !== null) {
    const done = words.done.replace('{company}', () => `<strong>${escapeHtml(company)}</strong>`);
    return renderPublicPage(language, words.doneTitle, `<p role="status">${done}</p>`);
  }
  const title = escapeHtml(question);
  const stars = SCORES.map(
    (each) =>
      `<label title="${words.scores[each - 1]}"><input type="radio" name="score" value="${each}" required${each === chosen ? ' checked' : ''} /><span aria-hidden="true">★</span><span class="unseen">${each}: ${words.scores[each - 1]}</span></label>`,
  ).join('');
  // Without an action the form is sent to the address of the page, whatever is before it.
  const form = `<form method="post"><fieldset class="stars"><legend class="unseen">${title}</legend>${stars}</fieldset>
<label class="comment">${words.comment}<textarea name="comment" rows="4" maxlength="${MAX_COMMENT}"></textarea></label>
<button type="submit">${words.button}</button></form>`;
  return renderPublicPage(language, title, form);
}

/** The page behind a link to unsubscribe. */
import { escapeHtml } from '../../platform/http/guides/markdown.ts';
import { renderPublicPage } from '../../platform/http/public-page.ts';
import { getOwnProperty } from '../../platform/values/own-property.ts';
import type { FoundRefuser } from './queries.ts';

interface Words {
  title: string;
  lead: string;
  button: string;
  doneTitle: string;
  done: string;
}

const ENGLISH: Words = {
  title: 'Stop receiving messages?',
  lead: '{company} will no longer send you messages.',
  button: 'Unsubscribe',
  doneTitle: 'You are unsubscribed',
  done: '{company} will no longer send you messages. If you change your mind, write to the company.',
};

const WORDS: Record<string, Words> = {
  en: ENGLISH,
  'pt-BR': {
    title: 'Não quer mais receber mensagens?',
    lead: '{company} não vai mais lhe enviar mensagens.',
    button: 'Cancelar o recebimento',
    doneTitle: 'Recebimento cancelado',
    done: '{company} não vai mais lhe enviar mensagens. Se mudar de ideia, escreva para a empresa.',
  },
  es: {
    title: '¿No quiere recibir más mensajes?',
    lead: '{company} no le enviará más mensajes.',
    button: 'Cancelar la suscripción',
    doneTitle: 'Suscripción cancelada',
    done: '{company} no le enviará más mensajes. Si cambia de opinión, escriba a la empresa.',
  },
};

/** Asks the contact with a button, or says that it is done. */
export function renderOptOut({ company, language, optedOut }: FoundRefuser): string {
  const words = getOwnProperty(WORDS, language) ?? ENGLISH;
  const name = (text: string): string => text.replace('{company}', () => `<strong>${escapeHtml(company)}</strong>`);
  if (optedOut) return renderPublicPage(language, words.doneTitle, `<p role="status">${name(words.done)}</p>`);
  // Without an action the form is sent to the address of the page, whatever is before it.
  const form = `<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click" /><button type="submit">${words.button}</button></form>`;
  return renderPublicPage(language, words.title, `<p>${name(words.lead)}</p>${form}`);
}

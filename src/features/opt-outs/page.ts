/** The page behind a link to unsubscribe. It is whole without a script, because mail programs and old browsers open it, too. */
import { escapeHtml } from '../../platform/http/guides/markdown.ts';
import { getOwnProperty } from '../../platform/values/own-property.ts';
import { pageHeaders } from '../../platform/http/web-apps.ts';
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

export const PAGE_HEADERS = {
  ...pageHeaders({ policy: { 'form-action': "'self'" } }),
  'cache-control': 'no-store',
};

/** Asks the contact with a button, or says that it is done. */
export function renderOptOut({ company, language, optedOut }: FoundRefuser): string {
  const words = getOwnProperty(WORDS, language) ?? ENGLISH;
  const name = (text: string): string => text.replace('{company}', () => `<strong>${escapeHtml(company)}</strong>`);
  if (optedOut) return renderPage(language, words.doneTitle, `<p role="status">${name(words.done)}</p>`);
  // Without an action the form is sent to the address of the page, whatever is before it.
  const form = `<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click" /><button type="submit">${words.button}</button></form>`;
  return renderPage(language, words.title, `<p>${name(words.lead)}</p>${form}`);
}

/** The page for every address that is no contact's. No one knows the reader's language. */
export const DEAD_PAGE = renderPage(
  'en',
  'Parley',
  `<p lang="en">This link does not work.</p><p lang="pt-BR">Este link não funciona.</p><p lang="es">Este enlace no funciona.</p>`,
);

function renderPage(language: string, title: string, content: string): string {
  return `<!doctype html>
<html lang="${escapeHtml(language)}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}</title>
    <link rel="stylesheet" href="page.css" />
  </head>
  <body>
    <main><h1>${title}</h1>${content}</main>
  </body>
</html>
`;
}

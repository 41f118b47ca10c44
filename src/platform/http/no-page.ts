/** What a browser shows at an address where nothing is. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pageHeaders } from './web-apps.ts';

const WORDS = {
  en: [
    'Page not found',
    'The address may be mistyped, or the page may have moved.',
    'Go to the console',
    'Go to the guides',
  ],
  pt: [
    'Esta página não existe',
    'O endereço pode ter um erro, ou a página mudou de lugar.',
    'Ir para o console',
    'Ir para os guias',
  ],
  es: [
    'Esta página no existe',
    'La dirección puede tener un error, o la página se ha movido.',
    'Ir a la consola',
    'Ir a las guías',
  ],
} as const;

/** True when somebody opens the address in a browser; programs that call the API get a problem document. */
export const isOpenedByPerson = ({ method, headers, raw }: FastifyRequest): boolean =>
  method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '') && !raw.url?.startsWith('/v1/');

export function sendNoPage(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = '/'] = (request.raw.url ?? '/').split('?', 1);
  // Addresses are relative, because a proxy may put the platform below a prefix.
  const up = '../'.repeat(Math.min(path.split('/').length - 2, MAX_DEPTH)) || './';
  const headers = { ...pageHeaders(), 'cache-control': 'no-store' };
  return reply
    .code(404)
    .headers(headers)
    .type('text/html; charset=utf-8')
    .send(render(chooseLanguage(request), up));
}

const MAX_DEPTH = 40;

const LANGUAGES = ['en', 'pt', 'es'] as const;

function chooseLanguage({ headers }: FastifyRequest): keyof typeof WORDS {
  const wanted = (headers['accept-language'] ?? '').toLowerCase().split(/[,\s]+/);
  const ours = wanted.flatMap((each) => LANGUAGES.find((language) => each.startsWith(language)) ?? []);
  return ours[0] ?? 'en';
}

function render(language: keyof typeof WORDS, up: string): string {
  const [title, lead, toConsole, toGuides] = WORDS[language];
  return `<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <meta name="color-scheme" content="light dark" />
    <title>${title} · Parley</title>
    <link rel="icon" href="${up}set-password/icon.svg" />
    <link rel="stylesheet" href="${up}set-password/page.css" />
  </head>
  <body>
    <header>
      <img src="${up}set-password/icon.svg" width="32" height="32" alt="" />
      <span>Parley</span>
    </header>
    <main>
      <section>
        <h1>${title}</h1>
        <p class="soft">${lead}</p>
        <a class="go" href="${up}console">${toConsole}</a>
        <a href="${up}docs">${toGuides}</a>
      </section>
    </main>
  </body>
</html>
`;
}

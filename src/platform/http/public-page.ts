/** Pages for contacts, who have no log-in. Each is complete without a script, because mail programs and old browsers open it, too. */
import type { FastifyReply } from 'fastify';
import { escapeHtml } from './guides/markdown.ts';
import { pageHeaders } from './web-apps.ts';

const PAGE_HEADERS = {
  ...pageHeaders({ policy: { 'form-action': "'self'" } }),
  'cache-control': 'no-store',
};

/** `title` and `content` are HTML. */
export function renderPublicPage(language: string, title: string, content: string): string {
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

/** The page for every address that is no contact's. No one knows the reader's language. */
const DEAD_PAGE = renderPublicPage(
  'en',
  'Parley',
  `<p lang="en">This link does not work.</p><p lang="pt-BR">Este link não funciona.</p><p lang="es">Este enlace no funciona.</p>`,
);

/** Answers with the page, or with 404 for null. */
export function showPublicPage(reply: FastifyReply, page: string | null): string {
  reply
    .code(page === null ? 404 : 200)
    .headers(PAGE_HEADERS)
    .type('text/html; charset=utf-8');
  return page ?? DEAD_PAGE;
}

/** The HTML page around a guide or a part of the reference: navigation, table of contents, and a search. */
import { escapeHtml, linkBetween, type RenderedGuide } from './markdown.ts';
import type { Guide } from './shelf.ts';

const GROUPS: Guide['group'][] = ['Guides', 'How it is built', 'All guarantees', 'Decisions'];
/** The path of the API reference, whose pages stand next to the guides. */
export const REFERENCE = 'api';
// A page with fewer headings gets no table of contents.
const LEAST_HEADINGS = 3;

/** What differs between the pages of the documentation. All texts are HTML, except the title. */
export interface Frame {
  /** The path of the page below /docs, from which its links lead. */
  path: string;
  title: string;
  /** The entries of the menu. */
  menu: string;
  main: string;
  /** The table of contents; empty for a page without one. */
  contents?: string;
  /** Scripts that only this page needs. */
  scripts?: string[];
}

/** Renders the page of a guide. `guides` are all guides in order. */
export function renderLayout(guide: Guide, { html, headings }: RenderedGuide, guides: Guide[]): string {
  const parts = headings.filter(({ depth }) => depth === 2 || depth === 3);
  return renderFrame({
    path: guide.path,
    title: guide.title,
    menu: GROUPS.map((group) => renderMenu(group, guide.path, guides)).join(''),
    main: html + renderSteps(guide, guides),
    contents: parts.length < LEAST_HEADINGS ? '' : renderContents(parts),
  });
}

/** Renders the page that is shown where no page is. */
export function renderMissingPage(path: string, guides: Guide[]): string {
  const to = (target: string): string => linkBetween(path, target);
  return renderFrame({
    path,
    title: 'Page not found',
    menu: GROUPS.map((group) => renderMenu(group, path, guides)).join(''),
    main: `<h1>Page not found</h1><p>The documentation has no page at this address. Look for it with the search above, begin with the
      <a href="${to('')}">overview</a>, or go to the <a href="${to(REFERENCE)}">API reference</a>.</p>`,
  });
}

/** Renders a page of the documentation. */
export function renderFrame({ path, title, menu, main, contents = '', scripts = [] }: Frame): string {
  const to = (target: string): string => linkBetween(path, target);
  const files = ['page.js', 'copy.js', ...scripts];
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escapeHtml(title)} · Parley documentation</title>
    <link rel="icon" href="${to('assets/icon.svg')}" />
    <link rel="stylesheet" href="${to('assets/page.css')}" />
    ${files.map((file) => `<script type="module" src="${to(`assets/${file}`)}"></script>`).join('\n    ')}
  </head>
  <body>
    <a class="skip" href="#content">Skip to content</a>
    <header class="top">
      <a class="brand" href="${to('')}"><img src="${to('assets/icon.svg')}" width="28" height="28" alt="" />Parley<span>docs</span></a>
      <div id="search" class="search" role="search" hidden>
        <input id="query" type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off"
          spellcheck="false" role="combobox" aria-expanded="false" aria-controls="results" aria-autocomplete="list" />
        <kbd aria-hidden="true">/</kbd>
        <div id="results" class="results" role="listbox" aria-label="Results" hidden></div>
      </div>
      <a class="reference" href="${to(REFERENCE)}">API reference</a>
    </header>
    <div class="frame">
      <nav class="menu" aria-label="Documentation">
        <details id="menu">
          <summary>${escapeHtml(title)}</summary>
          ${menu}
        </details>
      </nav>
      <main id="content" tabindex="-1">${main}</main>
      ${contents}
    </div>
  </body>
</html>
`;
}

/** Returns the menu entries of one group. A group of a folder is listed only on the pages of this folder. */
function renderMenu(group: Guide['group'], from: string, guides: Guide[]): string {
  const shown = guides.filter((each) => each.group === group);
  const folder = /^[^/]+(?=\/)/.exec(shown[0]?.path ?? '')?.[0] ?? '';
  if (!from.startsWith(folder)) return '';
  const items = shown.map(({ path, title }) => {
    const current = path === from ? ' aria-current="page"' : '';
    return `<li><a href="${linkBetween(from, path)}"${current}>${escapeHtml(title)}</a></li>`;
  });
  if (group === 'Guides') items.push(`<li><a href="${linkBetween(from, REFERENCE)}">API reference</a></li>`);
  return `<h2>${group}</h2><ul>${items.join('')}</ul>`;
}

function renderContents(parts: RenderedGuide['headings']): string {
  const items = parts.map(
    ({ id, text, depth }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`;
}

/** Returns links to the previous and the next guide of the group. */
function renderSteps(guide: Guide, guides: Guide[]): string {
  const group = guides.filter((each) => each.group === guide.group);
  const at = group.indexOf(guide);
  const link = (to: Guide | undefined, name: string, says: string): string =>
    to
      ? `<a class="${name}" rel="${name}" href="${linkBetween(guide.path, to.path)}"><small>${says}</small>${escapeHtml(to.title)}</a>`
      : '';
  return `<nav class="steps" aria-label="Previous and next">${link(group[at - 1], 'prev', 'Previous')}${link(group[at + 1], 'next', 'Next')}</nav>`;
}

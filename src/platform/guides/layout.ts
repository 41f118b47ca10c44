/** The HTML page around a guide: navigation, table of contents, and a search. */
import { escapeHtml, linkBetween, type RenderedGuide } from './markdown.ts';
import type { Guide } from './shelf.ts';

const GROUPS: Guide['group'][] = ['Guides', 'How it is built', 'Decisions'];
// The path of the API reference, which is a page next to the guides.
const REFERENCE = 'api';
// A page with fewer headings gets no table of contents.
const LEAST_HEADINGS = 3;

/** Renders the page of a guide. `guides` are all guides in order. */
export function renderLayout(guide: Guide, { html, headings }: RenderedGuide, guides: Guide[]): string {
  const to = (path: string): string => linkBetween(guide.path, path);
  const title = `${guide.title} · Parley documentation`;
  const parts = headings.filter(({ depth }) => depth === 2 || depth === 3);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="${to('assets/icon.svg')}" />
    <link rel="stylesheet" href="${to('assets/page.css')}" />
    <script type="module" src="${to('assets/page.js')}"></script>
    <script type="module" src="${to('assets/copy.js')}"></script>
  </head>
  <body>
    <a class="skip" href="#content">Skip to the text</a>
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
          <summary>${escapeHtml(guide.title)}</summary>
          ${GROUPS.map((group) => renderMenu(group, guide, guides)).join('')}
        </details>
      </nav>
      <main id="content" tabindex="-1">${html}${renderSteps(guide, guides)}</main>
      ${parts.length < LEAST_HEADINGS ? '' : renderContents(parts)}
    </div>
  </body>
</html>
`;
}

/** Returns the menu entries of one group. Decisions are listed only on the pages of decisions. */
function renderMenu(group: Guide['group'], guide: Guide, guides: Guide[]): string {
  const shown = guides.filter((each) => each.group === group);
  if (group === 'Decisions' && !guide.path.startsWith('decisions')) return '';
  const items = shown.map(({ path, title }) => {
    const current = path === guide.path ? ' aria-current="page"' : '';
    return `<li><a href="${linkBetween(guide.path, path)}"${current}>${escapeHtml(title)}</a></li>`;
  });
  if (group === 'Guides') items.push(`<li><a href="${linkBetween(guide.path, REFERENCE)}">API reference</a></li>`);
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
  return `<nav class="steps" aria-label="Before and after">${link(group[at - 1], 'prev', 'Before')}${link(group[at + 1], 'next', 'Next')}</nav>`;
}

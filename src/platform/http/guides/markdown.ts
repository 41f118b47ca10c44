/** Renders a guide's Markdown as HTML, with ids for headings and links between guides, and extracts its text for the search. */
import { Marked, type Token, type Tokens } from 'marked';
import type { Guide } from './shelf.ts';

export interface Heading {
  id: string;
  text: string;
  depth: number;
}

export interface RenderedGuide {
  html: string;
  headings: Heading[];
}

/** A section of a guide, which is what the search finds: the text below one heading. */
export interface Section {
  heading: Heading;
  text: string;
}

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Returns the relative link from one guide to another. It is relative, so that a proxy may serve the platform below a prefix. */
export function linkBetween(from: string, to: string): string {
  if (from === '') return to === '' ? 'docs' : `docs/${to}`;
  const up = '../'.repeat(from.split('/').length - 1);
  return to === '' ? `../${up}docs` : up + to;
}

/** Maps the path of each guide to the ids of its headings, by their lower-case form, which code hosts use in links. */
export type Anchors = ReadonlyMap<string, ReadonlyMap<string, string>>;

export const listAnchors = (guides: Guide[]): Anchors =>
  new Map(
    guides.map((guide) => [
      guide.path,
      new Map(splitSections(guide).map(({ heading: { id } }) => [id.toLowerCase(), id])),
    ]),
  );

export function renderGuide({ path, markdown }: Guide, anchors: Anchors): RenderedGuide {
  const nextId = createIdMaker();
  const headings: Heading[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const text = extractText(tokens);
        const id = nextId(text);
        headings.push({ id, text, depth });
        const inner = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1 id="${id}">${inner}</h1>\n`;
        const label = escapeHtml(`Link to ${text}`);
        return `<h${depth} id="${id}">${inner}<a class="anchor" href="#${id}" aria-label="${label}">#</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const target = resolveLink(path, href, anchors);
        const text = this.parser.parseInline(tokens);
        return target === undefined ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
      },
      code: ({ text, lang = '' }) => {
        const [, file] = lang.split(' ');
        const caption = file ? `<p class="file">${escapeHtml(file)}</p>\n` : '';
        return `${caption}<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
      },
      html: ({ text }) => (text === '<br>' ? text : escapeHtml(text.replaceAll(/<!--.*?-->/gs, ''))),
    },
  });
  // Tables get a container, so that a wide table scrolls by itself instead of the whole page.
  const html = marked
    .parse(markdown, { async: false })
    .replaceAll('<table>', '<div class="table" role="region" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  return { html, headings };
}

export function splitSections({ markdown }: Guide): Section[] {
  const nextId = createIdMaker();
  const sections: Section[] = [];
  for (const token of new Marked().lexer(markdown)) {
    if (token.type === 'heading') {
      const { tokens, depth } = token as Tokens.Heading;
      const text = extractText(tokens);
      sections.push({ heading: { id: nextId(text), text, depth }, text: '' });
    } else {
      const last = sections.at(-1);
      if (last) last.text += ` ${extractText([token])}`;
    }
  }
  return sections.map(({ heading, text }) => ({ heading, text: text.replaceAll(/\s+/g, ' ').trim() }));
}

/**
 * Returns a function that makes the ids of headings. The heading of an error code gets that code as its id, because error answers link to
 * it; other ids are made as code hosts make them.
 */
function createIdMaker(): (text: string) => string {
  const taken = new Map<string, number>();
  return (text) => {
    const hosted = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    const id = isErrorCode(text) ? text : hosted;
    const before = taken.get(id) ?? 0;
    taken.set(id, before + 1);
    return before === 0 ? id : `${id}-${before}`;
  };
}

const isErrorCode = (text: string): boolean => /^[A-Z][A-Z_]+$/.test(text);

/**
 * Converts a link in the guide `path`. Guides link to each other's files, so that the links also work on a code host. Returns undefined for a
 * link to a file outside docs/, which only a code host shows.
 */
function resolveLink(path: string, href: string, anchors: Anchors): string | undefined {
  if (/^[a-z]+:/.test(href)) return href;
  const [file = '', fragment] = href.split('#');
  const base = `http://guides/docs/${path || 'README'}`;
  const { pathname } = new URL(file, base);
  if (!pathname.startsWith('/docs/')) return undefined;
  const target = file === '' ? path : pathname.replace('/docs/', '').replace(/(^README)?\.md$/, '');
  const ids = anchors.get(target);
  const hash = fragment === undefined ? '' : `#${ids?.get(fragment) ?? fragment}`;
  if (file === '') return hash;
  return (ids ? linkBetween(path, target) : file) + hash;
}

/** Returns the text of tokens without Markdown syntax. */
function extractText(tokens: Token[]): string {
  return tokens
    .map((token): string => {
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table;
        return [header, ...rows]
          .flat()
          .map((cell) => extractText(cell.tokens))
          .join(' ');
      }
      if (token.type === 'list') return (token as Tokens.List).items.map((item) => extractText(item.tokens)).join(' ');
      if ('tokens' in token && token.tokens) return extractText(token.tokens);
      if (token.type === 'br' || token.type === 'space') return ' ';
      return 'text' in token ? String(token.text) : '';
    })
    .join('');
}

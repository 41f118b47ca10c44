/**
 * Serves the guides of docs/ at /docs, with a search that runs in the browser. Pages are rendered when they are first requested; the files
 * that they load are those of web/guides.
 */
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { CountVisit } from '../access.ts';
import { createAssetSender } from '../asset.ts';
import { keepResult } from '../../work/keep-result.ts';
import { listTags } from '../description.ts';
import { notFound } from '../../values/errors.ts';
import { readReferenceFile } from '../reference.ts';
import { pageHeaders } from '../web-apps.ts';
import type { Anchors } from './markdown.ts';
import { readReference, toPartPath, type ReferencePart } from './reference/document.ts';
import { listGuidePaths, readGuides, type Guide } from './shelf.ts';

const HTML = 'text/html; charset=utf-8';

interface GuideLibrary {
  guides: Guide[];
  anchors: Anchors;
}

/** One entry of the search index. */
interface GuideEntry {
  id: number;
  /** The path below /docs. */
  path: string;
  page: string;
  title: string;
  text: string;
  /** Words by which readers look for the place, although it does not have them. */
  words: string;
  /** How much the place counts beside others with the same words. */
  weight: number;
}

// Readers look for how to use the platform more often than for one operation, and rarely for how the platform is built.
const WEIGHTS = { Guides: 1, 'How it is built': 0.4, 'All guarantees': 0.3, Decisions: 0.2, reference: 0.5 };

export function guideRoutes(app: FastifyInstance, count: CountVisit): void {
  const open = keepResult(loadLibrary);
  const headers = pageHeaders();
  const options = { config: { access: 'public' }, onRequest: count };
  const serve = (path: string, type: string, render: () => string | Promise<string>): void =>
    void app.get(path, options, createAssetSender(type, render, headers));
  for (const path of listGuidePaths())
    serve(`/docs${path && `/${path}`}`, HTML, async () => renderPage(await open(), path));
  serve('/llms.txt', 'text/plain; charset=utf-8', async () => {
    const { renderLlmsText } = await import('./llms.ts');
    return renderLlmsText((await open()).guides);
  });
  app.get('/docs/llms.txt', options, (_, reply) => reply.redirect('../llms.txt'));
  serve('/docs/assets/search.json', 'application/json; charset=utf-8', async () =>
    JSON.stringify(await listGuideEntries((await open()).guides, readReference().parts)),
  );
  serve('/docs/assets/minisearch.js', 'text/javascript; charset=utf-8', () =>
    readFileSync(new URL('../umd/index.js', import.meta.resolve('minisearch')), 'utf8').replace(
      /^\/\/# sourceMappingURL=.*$/m,
      '',
    ),
  );
  const openReference = keepResult(loadReference);
  serve('/docs/api', HTML, async () => (await openReference()).renderIndex());
  for (const { name } of listTags())
    serve(`/docs/${toPartPath(name)}`, HTML, async () => (await openReference()).renderPart(name));
  for (const path of ['/docs/', '/docs/api/'])
    app.get(path, options, (_, reply) => reply.redirect(`../${path.split('/').at(-2)}`));
  app.get('/docs/*', options, async (request, reply) => {
    const [asked = ''] = request.url.split('?', 1);
    // Programs that ask for a missing file are answered as everywhere else.
    if (!request.headers.accept?.includes('text/html')) throw notFound();
    const { renderMissingPage } = await import('./layout.ts');
    // The text of the address is not shown: only the number of its slashes matters for the links of the page.
    const path = 'x/'.repeat(Math.min(asked.split('/').length - 3, MOST_SLASHES)) + 'x';
    return reply
      .code(404)
      .headers({ ...headers, 'cache-control': 'no-store' })
      .type(HTML)
      .send(renderMissingPage(path, (await open()).guides));
  });
}

// Longer addresses are not written by people, and their page would grow with them.
const MOST_SLASHES = 20;

/** Reads the OpenAPI document for the pages of the reference, when the first of them is opened. */
async function loadReference(): Promise<{ renderIndex(): string; renderPart(tag: string): string }> {
  const { renderReferenceIndex, renderReferencePart } = await import('./reference/pages.ts');
  const document = readReference();
  return {
    renderIndex: () => renderReferenceIndex(document),
    renderPart: (tag) => {
      const part = document.parts.find((each) => each.tag === tag);
      if (!part) throw new Error(`the document has no tag ${tag}`);
      return renderReferencePart(part, document);
    },
  };
}

/** Reads all guides. The Markdown parser is loaded with the first page instead of at the start. */
async function loadLibrary(): Promise<GuideLibrary> {
  const { listAnchors } = await import('./markdown.ts');
  const guides = readGuides();
  return { guides, anchors: listAnchors(guides) };
}

async function renderPage({ guides, anchors }: GuideLibrary, path: string): Promise<string> {
  const [{ renderGuide }, { renderLayout }] = await Promise.all([import('./markdown.ts'), import('./layout.ts')]);
  const guide = guides.find((each) => each.path === path);
  if (!guide) throw new Error(`no guide is called ${path}`);
  return renderLayout(guide, renderGuide(guide, anchors), guides);
}

async function listGuideEntries(guides: Guide[], parts: ReferencePart[]): Promise<GuideEntry[]> {
  const { splitSections } = await import('./markdown.ts');
  const sections = guides.flatMap((guide) =>
    splitSections(guide).map(({ heading, text }) => ({
      path: heading.depth === 1 ? guide.path : `${guide.path}#${heading.id}`,
      page: guide.title,
      title: heading.text,
      text,
      weight: WEIGHTS[guide.group],
    })),
  );
  const operations = parts.flatMap((part) =>
    part.operations.map(({ method, path, summary, description = '', operationId }) => ({
      path: `${part.path}#${operationId}`,
      page: 'API reference',
      title: summary,
      text: `${method} ${path} ${description}`,
      weight: WEIGHTS.reference,
    })),
  );
  const words = new Map(Object.entries(readReferenceFile('search') as Record<string, string>));
  return [...sections, ...operations].map((entry, id) => ({ id, ...entry, words: words.get(entry.path) ?? '' }));
}

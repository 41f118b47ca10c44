/**
 * Serves the guides of docs/ at /docs, with a search that runs in the browser. Pages are rendered when they are first requested; the files
 * that they load are those of web/guides.
 */
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { CountVisit } from '../access.ts';
import { createAssetSender } from '../asset.ts';
import { keepResult } from '../keep-result.ts';
import { readDocument, readReferenceFile } from '../reference.ts';
import { pageHeaders } from '../web-apps.ts';
import type { Anchors } from './markdown.ts';
import { listGuidePaths, readGuides, type Guide } from './shelf.ts';

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
const WEIGHTS = { Guides: 1, 'How it is built': 0.4, Decisions: 0.2, reference: 0.5 };

export function guideRoutes(app: FastifyInstance, count: CountVisit): void {
  const open = keepResult(loadLibrary);
  const headers = pageHeaders();
  const options = { config: { access: 'public' }, onRequest: count };
  const serve = (path: string, type: string, render: () => string | Promise<string>): void =>
    void app.get(path, options, createAssetSender(type, render, headers));
  for (const path of listGuidePaths())
    serve(`/docs${path && `/${path}`}`, 'text/html; charset=utf-8', async () => renderPage(await open(), path));
  serve('/docs/assets/search.json', 'application/json; charset=utf-8', async () =>
    JSON.stringify(await listGuideEntries((await open()).guides, JSON.parse(readDocument()) as Described)),
  );
  serve('/docs/assets/minisearch.js', 'text/javascript; charset=utf-8', () =>
    readFileSync(new URL('../umd/index.js', import.meta.resolve('minisearch')), 'utf8').replace(
      /^\/\/# sourceMappingURL=.*$/m,
      '',
    ),
  );
  app.get('/docs/', options, (_, reply) => reply.redirect('../docs'));
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

/** The part of the OpenAPI document that the search index uses. */
interface Described {
  paths?: Record<
    string,
    Record<string, { summary?: string; description?: string; operationId?: string; tags?: string[] }>
  >;
}

async function listGuideEntries(guides: Guide[], { paths = {} }: Described): Promise<GuideEntry[]> {
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
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { summary = '', description = '', operationId = '', tags = [] }]) => ({
      path: `api#/${tags[0] ?? ''}/${operationId}`,
      page: 'API reference',
      title: summary,
      text: `${method.toUpperCase()} ${path} ${description}`,
      weight: WEIGHTS.reference,
    })),
  );
  const words = new Map(Object.entries(readReferenceFile('search') as Record<string, string>));
  return [...sections, ...operations].map((entry, id) => ({ id, ...entry, words: words.get(entry.path) ?? '' }));
}

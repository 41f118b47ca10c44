/** The pages of the API reference: a list of all operations with a filter, and a page for the operations of each tag. */
import { renderFrame, REFERENCE } from '../layout.ts';
import { escapeHtml, linkBetween } from '../markdown.ts';
import type { ReferenceDocument, ReferencePart, Schema, ShownOperation } from './document.ts';
import { renderOperation } from './operation.ts';
import { listComponents, renderSchemaTable, renderText } from './schema-table.ts';

const SCRIPTS = ['reference.js'];

/** Renders the list of all operations. */
export function renderReferenceIndex(document: ReferenceDocument): string {
  const to = (path: string): string => linkBetween(REFERENCE, path);
  const count = document.parts.reduce((sum, { operations }) => sum + operations.length, 0);
  const main = `<h1>API reference</h1>
    <p>All ${count} operations. Nearly all require a <a href="${to('authentication')}">bearer token</a>; <a href="${to('errors')}">errors</a> and
      <a href="${to('lists')}">lists</a> have the same format everywhere. The OpenAPI document behind these pages is
      <a href="../openapi.json"><code>/openapi.json</code></a>.</p>
    <label class="filter" hidden>Filter <input id="filter" type="search" placeholder="send, contacts, DELETE …" autocomplete="off" spellcheck="false" /></label>
    <p id="no-operations" hidden>No operation matches.</p>
    ${document.parts.map(renderPartList).join('')}`;
  return renderFrame({
    path: REFERENCE,
    title: 'API reference',
    menu: renderMenu(REFERENCE, document),
    main,
    scripts: SCRIPTS,
  });
}

function renderPartList({ tag, about, path, operations }: ReferencePart): string {
  const href = linkBetween(REFERENCE, path);
  const items = operations.map(
    (operation) =>
      `<li><a href="${href}#${operation.operationId}">${renderMethod(operation)} <code>${escapeHtml(operation.path)}</code> <span>${escapeHtml(operation.summary)}</span></a></li>`,
  );
  return `<section class="part"><h2 id="${tag.toLowerCase()}"><a href="${href}">${escapeHtml(tag)}</a></h2>
    <p>${escapeHtml(about)}</p><ul class="operations">${items.join('')}</ul></section>`;
}

const renderMethod = ({ method }: ShownOperation): string => `<span class="method ${method}">${method}</span>`;

/** Renders the operations of one tag, and the schemas that they name. */
export function renderReferencePart(part: ReferencePart, document: ReferenceDocument): string {
  const names = listComponents(part.operations.flatMap(listSchemas), document.schemas);
  const tables = names.map(
    (name) =>
      `<h3 id="schema-${name}">${name}</h3>${describe(document.schemas.get(name))}${renderSchemaTable(document.schemas.get(name) ?? {})}`,
  );
  const main = `<h1 id="${part.tag.toLowerCase()}">${escapeHtml(part.tag)}</h1><p>${escapeHtml(part.about)}.</p>
    <form class="key" id="key" hidden>
      <label>Your API key, for “Try it” <input type="password" name="key" autocomplete="off" spellcheck="false" /></label>
      <label>x-company-id, for a global key <input name="company" autocomplete="off" spellcheck="false" /></label>
      <p>They stay in this tab until it is closed.</p>
    </form>
    ${part.operations.map((operation) => renderOperation(operation, document.schemas)).join('')}
    <h2 id="schemas">Schemas</h2>${tables.join('')}`;
  const { path, tag: title } = part;
  const menu = renderMenu(path, document);
  return renderFrame({
    path,
    title: `${title} · API reference`,
    menu,
    main,
    contents: renderContents(part),
    scripts: SCRIPTS,
  });
}

const describe = (schema: Schema | undefined): string =>
  schema?.description ? `<p>${renderText(schema.description)}</p>` : '';

/** The schemas of an operation's body and successes. Every error has the same schema, which the guide to errors shows. */
const listSchemas = ({ requestBody, responses }: ShownOperation): Schema[] =>
  [requestBody, ...Object.entries(responses).flatMap(([status, answer]) => (status.startsWith('2') ? [answer] : []))]
    .flatMap((each) => Object.values(each?.content ?? {}))
    .flatMap(({ schema }) => (schema ? [schema] : []));

function renderMenu(from: string, { parts }: ReferenceDocument): string {
  const link = (path: string, text: string): string =>
    `<li><a href="${linkBetween(from, path)}"${path === from ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a></li>`;
  return `<ul>${link('', '← Guides')}</ul><h2>API reference</h2><ul>${link(REFERENCE, 'All operations')}${parts
    .map(({ path, tag }) => link(path, tag))
    .join('')}</ul>`;
}

function renderContents({ operations }: ReferencePart): string {
  const items = operations.map(
    ({ operationId, method, path, summary }) =>
      `<li><a href="#${operationId}" title="${method} ${escapeHtml(path)}">${escapeHtml(summary)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}<li><a href="#schemas">Schemas</a></li></ul></nav>`;
}

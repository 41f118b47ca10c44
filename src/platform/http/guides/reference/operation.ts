/** Shows one operation: what it does, its parameters, bodies, answers and errors, a call by curl, and a form that sends a request. */
import { escapeHtml } from '../markdown.ts';
import type { Parameter, Schema, ShownOperation } from './document.ts';
import { readReferenceName, renderParameterTable, renderSchemaTable, renderText, renderType } from './schema-table.ts';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'multipart/form-data';
// A stream has no end, so a form that waits for the whole answer cannot show it.
const STREAM_TYPE = 'text/event-stream';

/** The request body of an operation. */
interface Body {
  type: string;
  schema: Schema;
  example: unknown;
}

export function renderOperation(operation: ShownOperation, schemas: ReadonlyMap<string, Schema>): string {
  const { operationId, method, path, summary, description = '', parameters = [] } = operation;
  const body = readBody(operation, schemas);
  const own = parameters.filter(({ in: place }) => place !== 'header');
  const headers = parameters.filter(({ in: place }) => place === 'header').map(({ name }) => `<code>${name}</code>`);
  return `<section class="operation">
    <h2 id="${operationId}">${escapeHtml(summary)}<a class="anchor" href="#${operationId}" aria-label="Link to ${escapeHtml(summary)}">#</a></h2>
    <p class="call"><span class="method ${method}">${method}</span> <code>${escapeHtml(path)}</code></p>
    <p>${renderText(description)}</p>
    ${own.length > 0 ? renderParameterTable(own) : ''}
    ${headers.length > 0 ? `<p>Headers: ${headers.join(', ')}.</p>` : ''}
    ${body ? `<h3>Body <small>${body.type}</small></h3>${renderSchemaTable(body.schema)}` : ''}
    <h3>Request</h3><pre tabindex="0"><code>${escapeHtml(writeCall(operation, body))}</code></pre>
    ${renderAnswers(operation)}
    ${renderForm(operation, body)}
  </section>`;
}

function readBody({ requestBody }: ShownOperation, schemas: ReadonlyMap<string, Schema>): Body | null {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === undefined || !media?.schema) return null;
  const name = readReferenceName(media.schema);
  return { type, schema: (name === undefined ? null : schemas.get(name)) ?? media.schema, example: media.example };
}

const isFile = (name: string): boolean => name === 'file';

/** Writes the call by curl that the example of the operation is. */
function writeCall({ method, path }: ShownOperation, body: Body | null): string {
  const verb = method === 'GET' || (method === 'POST' && body) ? '' : ` -X ${method}`;
  const first = `curl -s${verb} $API${path.replaceAll(/\{(\w+)\}/g, '$$$1')} -H "authorization: Bearer $KEY"`;
  if (!body) return first;
  if (body.type === JSON_TYPE)
    return `${first} \\\n  -H 'content-type: application/json' \\\n  -d ${quote(JSON.stringify(body.example ?? {}))}`;
  const parts = Object.entries((body.example ?? {}) as Record<string, unknown>).map(
    ([name, value]) => `-F ${isFile(name) ? 'file=@sheet.csv' : quote(`${name}=${toFormText(value)}`)}`,
  );
  return [first, ...parts].join(' \\\n  ');
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const toFormText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function renderAnswers({ responses }: ShownOperation): string {
  const entries = Object.entries(responses);
  const successes = entries.filter(([status]) => status.startsWith('2'));
  const example = successes.flatMap(([, { content = {} }]) => Object.values(content)).find((media) => media.example);
  const shown = successes.map(
    ([status, { content = {} }]) =>
      `<p><b>${status}</b> ${Object.entries(content)
        .map(([type, { schema = {} }]) => `${renderAnswerType(schema)} <small>${type}</small>`)
        .join(', ')}</p>`,
  );
  const errors = entries
    .filter(([status]) => !status.startsWith('2'))
    .flatMap(([status, { description }]) => description.split(', ').map((code) => [status, code] as const))
    .map(([status, code]) => `<li>${status} <a href="../errors#${code}">${code}</a></li>`);
  return `<h3>Response</h3>${shown.join('')}
    ${example ? `<details><summary>Example response</summary><pre tabindex="0"><code>${escapeHtml(toShownText(example.example))}</code></pre></details>` : ''}
    <details><summary>Errors</summary><ul class="errors">${errors.join('')}</ul></details>`;
}

/** The answer of a list is a page, whose records matter more than the page itself. */
function renderAnswerType(schema: Schema): string {
  const records = schema.properties?.['result']?.items;
  return records ? `page of ${renderType(records)}` : renderType(schema);
}

const toShownText = (example: unknown): string =>
  typeof example === 'string' ? example : JSON.stringify(example, null, 2);

/** Renders the form that the script of the page shows and sends. */
function renderForm(operation: ShownOperation, body: Body | null): string {
  const { method, path, parameters = [], responses } = operation;
  if (Object.values(responses).some(({ content = {} }) => STREAM_TYPE in content)) return '';
  const fields = parameters.filter(({ in: place }) => place !== 'header').map(renderField);
  return `<details class="try" hidden><summary>Try it</summary>
    <form data-method="${method}" data-path="${escapeHtml(path)}" data-type="${body?.type ?? ''}">
      ${fields.join('')}${body ? renderBodyFields(body) : ''}
      <p><button type="submit">Send the request</button> <output role="status"></output></p>
      <pre tabindex="0" hidden><code></code></pre>
    </form></details>`;
}

const renderField = ({ name, in: place, required = false }: Parameter): string =>
  `<label>${escapeHtml(name)} <small>${place}</small><input name="${escapeHtml(name)}" data-in="${place}" autocomplete="off" spellcheck="false"${required ? ' required' : ''} /></label>`;

function renderBodyFields({ type, schema, example }: Body): string {
  if (type !== FORM_TYPE)
    return `<label>Body <small>JSON</small><textarea data-in="body" rows="8" spellcheck="false">${escapeHtml(JSON.stringify(example ?? {}, null, 2))}</textarea></label>`;
  const given = new Map(Object.entries((example ?? {}) as Record<string, unknown>));
  return Object.keys(schema.properties ?? {})
    .map((name) => {
      if (isFile(name)) return `<label>${name}<input type="file" name="${name}" data-in="form" /></label>`;
      const value = given.has(name) ? toFormText(given.get(name)) : '';
      return `<label>${name} <small>form</small><input name="${name}" data-in="form" value="${escapeHtml(value)}" autocomplete="off" spellcheck="false" /></label>`;
    })
    .join('');
}

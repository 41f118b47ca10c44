/** Builds the request of one call: its address, headers and body. */
import type { CallOptions, ClientOptions, Operation } from './operation.ts';

/** A request that can be sent any number of times. */
export interface PreparedRequest {
  operation: Operation;
  address: string;
  headers: Record<string, string>;
  body: string | FormData | null;
  options: CallOptions;
}

type Values = Readonly<Record<string, unknown>>;

/** Reads the arguments of a method in their order: the parameters of the path, the body, the query, the options. */
export function prepareRequest(
  client: ClientOptions,
  operation: Operation,
  given: readonly unknown[],
): PreparedRequest {
  const rest = [...given];
  const path = operation.path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(String(rest.shift())));
  const body = operation.body ? (rest.shift() as Values) : null;
  const query = operation.query ? writeQuery(rest.shift() as Values | undefined) : '';
  const options = (rest.shift() ?? {}) as CallOptions;
  const company = options.company ?? client.company;
  return {
    operation,
    address: client.url.replace(/\/+$/, '') + path + query,
    headers: {
      ...(operation.body === 'json' ? { 'content-type': 'application/json' } : {}),
      ...(operation.key ? { 'idempotency-key': options.idempotencyKey ?? makeKey() } : {}),
      ...(company === undefined ? {} : { 'x-company-id': company }),
    },
    body: body && (operation.body === 'form' ? writeForm(body) : JSON.stringify(body)),
    options,
  };
}

/** Makes the request of one attempt. The token is asked for each time, because a function may return another one by then. */
export async function makeAttempt(
  { token }: ClientOptions,
  { operation, address, headers, body }: PreparedRequest,
  signal: AbortSignal,
): Promise<Request> {
  const bearer = typeof token === 'function' ? await token() : token;
  return new Request(address, {
    method: operation.method,
    headers: { ...headers, ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) },
    body,
    signal,
    // The API never redirects, and a token must not follow a redirect to somebody else.
    redirect: 'manual',
  });
}

function writeQuery(values: Values = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of listGiven(values)) parameters.append(name, writeText(value));
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/** Files come last, because the platform uses the parts in front of a file while the file arrives. */
function writeForm(values: Values): FormData {
  const form = new FormData();
  const given = listGiven(values);
  for (const [name, value] of given) if (!(value instanceof Blob)) form.append(name, writeText(value));
  for (const [name, value] of given) if (value instanceof Blob) form.append(name, value);
  return form;
}

const listGiven = (values: Values): [name: string, value: unknown][] =>
  Object.entries(values).filter(([, value]) => value !== undefined);

const writeText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** crypto.randomUUID() does not exist in pages that came by plain http, so the key is made of random bytes. */
const makeKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

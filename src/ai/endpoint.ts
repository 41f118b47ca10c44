/** Posts JSON or a form to a server that answers with JSON: one attempt, with a limit in bytes, without redirects. */
import { parseForeignJson, TooManyParts } from '../platform/outside/foreign-json.ts';
import { OutboundError } from '../platform/outside/outbound-error.ts';
import type { OutboundForm } from '../platform/outside/outbound-form.ts';
import type { Outbound, OutboundRequest } from '../platform/outside/outbound.ts';
import type { OutboundResponse } from '../platform/outside/outbound-answer.ts';

/** A refusal of the server, with the parameter of the request that it does not take, where it names one. */
export interface Refusal {
  status: number;
  param: string | null;
  message: string;
}

/** The server could not be called, or has not answered as it should. The message is shown to callers. */
export class EndpointError extends Error {
  /** False only when it is certain that the server was not reached. */
  readonly sent: boolean;
  /** Null when the server has refused nothing. */
  readonly refusal: Refusal | null;

  constructor(message: string, { refusal = null, ...options }: ErrorOptions & { refusal?: Refusal | null } = {}) {
    super(message, options);
    this.refusal = refusal;
    this.sent = !(options?.cause instanceof OutboundError) || options.cause.sent;
  }
}

interface EndpointCall {
  /** Who is called, as errors name it: model, embedding endpoint. */
  server: string;
  url: string;
  /** The bearer token; null for a server without one. */
  apiKey: string | null;
  maxBytes: number;
  /** A tenant chose the server, so the parts of its answer are limited. */
  isForeign?: true;
  signal: AbortSignal;
}

export interface JsonCall extends EndpointCall {
  body: unknown;
}

export interface FormCall extends EndpointCall {
  form: OutboundForm;
}

/** `send` decides whose address this is: outbound.operator or outbound.tenant. Throws an EndpointError. */
export const postJson = (send: Outbound['tenant'], { body, ...call }: JsonCall): Promise<unknown> =>
  post(send, call, { contentType: 'application/json', body: JSON.stringify(body) });

/** As postJson, for a form. */
export const postForm = (send: Outbound['tenant'], { form, ...call }: FormCall): Promise<unknown> =>
  post(send, call, form);

interface Content {
  contentType: string;
  body: NonNullable<OutboundRequest['body']>;
}

async function post(send: Outbound['tenant'], call: EndpointCall, content: Content): Promise<unknown> {
  const { status, body, truncated } = await sendOnce(send, call, content);
  const parse = (): unknown => (call.isForeign ? parseForeignJson(body) : JSON.parse(body.toString()));
  if (status !== 200) {
    const message = `The ${call.server} has answered with the status ${status}.`;
    throw new EndpointError(message, { refusal: readRefusal(status, parse) });
  }
  if (truncated) throw new EndpointError(`The answer of the ${call.server} was too long or broke off.`);
  try {
    return parse();
  } catch (error) {
    const fault = error instanceof TooManyParts ? 'has too many parts' : 'is no JSON';
    throw new EndpointError(`The answer of the ${call.server} ${fault}.`, { cause: error });
  }
}

/** Failure policy: a refusal in another form names no parameter. */
function readRefusal(status: number, parse: () => unknown): Refusal {
  let error: { param?: unknown; message?: unknown } | null | undefined;
  try {
    ({ error } = parse() as { error?: typeof error });
  } catch {
    error = null;
  }
  const { param, message } = error ?? {};
  return {
    status,
    param: typeof param === 'string' ? param : null,
    message: typeof message === 'string' ? message : '',
  };
}

async function sendOnce(
  send: Outbound['tenant'],
  { server, url, apiKey, maxBytes, signal }: EndpointCall,
  { contentType, body }: Content,
): Promise<OutboundResponse> {
  const headers = {
    'content-type': contentType,
    ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  const request: OutboundRequest = { method: 'POST', url, headers, body, maxBytes, signal };
  try {
    return await send(request);
  } catch (error) {
    throw new EndpointError(`The ${server} cannot be reached, or takes too long.`, { cause: error });
  }
}

/**
 * Decides which pages of other sites may call a route from a browser (CORS). Browsers refuse calls to a route without a rule. Answers never
 * allow credentials, so browsers send no cookies with these calls.
 */
import type { FastifyInstance } from 'fastify';
import { ANSWER_HEADERS } from './reference.ts';

/** Returns true when pages of this origin may call the route; `params` are those of its path, and `address` is that of the caller. */
export type OriginRule = (
  origin: string,
  params: Readonly<Record<string, string | undefined>>,
  address: string,
) => boolean | Promise<boolean>;

/**
 * The rule of routes that take a bearer token. A browser adds no token by itself, so a page can do only what it was given a token for.
 */
export const allowAnyOrigin: OriginRule = () => true;

const EXPOSED = ANSWER_HEADERS.join(', ');
const REQUEST_HEADERS = 'authorization, content-type, idempotency-key, x-company-id, x-request-id';
// The longest time for which Chromium remembers the answer to a preflight.
const REMEMBER_SECONDS = '7200';

/** Adds the headers of CORS to the answers of routes with a rule, also when the request is refused. */
export function allowOrigins(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    // Most callers are programs, which name no origin.
    const origins = origin === undefined ? undefined : request.routeOptions.config?.origins;
    if (origin === undefined || !origins) return;
    reply.header('vary', 'origin');
    if (await isOriginAllowed(origins, { origin, params: request.params, address: request.ip }))
      reply.headers({ ...allowOriginHeader(origin), 'access-control-expose-headers': EXPOSED });
  });
}

interface PreflightRequest {
  origin: string;
  /** The rule of the route, and the params of its path. */
  origins: OriginRule;
  params: unknown;
  address: string;
  /** The methods that the path has. */
  methods: string[];
}

/** The headers that answer a preflight: the request by which a browser asks whether a page may call a route. */
export async function makePreflightHeaders({
  origin,
  origins,
  params,
  address,
  methods,
}: PreflightRequest): Promise<Record<string, string>> {
  if (!(await isOriginAllowed(origins, { origin, params, address }))) return { vary: 'origin' };
  return {
    ...allowOriginHeader(origin),
    vary: 'origin',
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': REQUEST_HEADERS,
    'access-control-max-age': REMEMBER_SECONDS,
  };
}

const isOriginAllowed = async (
  origins: OriginRule,
  { origin, params, address }: Pick<PreflightRequest, 'origin' | 'params' | 'address'>,
): Promise<boolean> => origins(origin, params as Record<string, string | undefined>, address);

const allowOriginHeader = (origin: string): Record<string, string> => ({ 'access-control-allow-origin': origin });

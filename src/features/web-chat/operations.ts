/**
 * Declares the routes of the visitor API. They are no operations of a company's API: a visitor's token opens them, and pages of the sites that
 * the inbox names may call them.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Kit } from '../../kit.ts';
import { admitWithHeaders } from '../../platform/http/access.ts';
import { checkQuery, refuseSurplus } from '../../platform/http/body.ts';
import type { OriginRule } from '../../platform/http/cross-origin.ts';
import { AppError, expectFound } from '../../platform/values/errors.ts';
import { addressGroup, type Allowance } from '../../platform/http/limits.ts';
import { acceptForms, receiveForm, type Form, type FormLimits, type Upload } from '../../platform/http/multipart.ts';
import type { Visit } from './chat.ts';
import { SiteParams } from './schemas.ts';
import { addressShare, namesOrigin, readSite, type Site } from './sites.ts';
import { readVisitor } from './tokens.ts';
import { declareLimit, declareSettingLimit } from '../../platform/values/limits.ts';

declareSettingLimit('RATE_LIMIT_WEB_CHAT', {
  topic: 'Web chat',
  what: 'Requests of all visitors of a chat',
  unit: 'perSecond',
  beyond: '429',
});

const PATH = '/web/v1/inboxes/:inbox';
const BODY_LIMIT = declareLimit(64 * 1024, { topic: 'Web chat', what: 'JSON body', unit: 'bytes', beyond: '413' });

interface Asked<B> {
  body: B;
  query: unknown;
  /** The file of a form; null when none was sent. */
  upload: Upload | null;
  request: FastifyRequest;
  reply: FastifyReply;
}

interface Route<W, B extends TSchema> {
  method: 'GET' | 'POST';
  /** Below the path of the inbox. */
  path: string;
  query?: TSchema;
  body?: B;
  form?: FormLimits;
  answers: Record<number, TSchema>;
  /** How many of these requests a second one visitor may send, and how many at once after a pause. */
  rate?: readonly [perSecond: number, atOnce: number];
  handler(who: W, asked: Asked<Static<B>>): Promise<unknown>;
}

type Enter<W> = (site: Site, request: FastifyRequest, reply: FastifyReply) => Promise<W>;

/** Declares a route that everybody may call who opens a page with the chat. */
export const siteRoute = <B extends TSchema>(app: FastifyInstance, kit: Kit, route: Route<Site, B>): void =>
  declareRoute(app, kit, route, (site) => Promise.resolve(site));

const USUAL_RATE = [
  declareLimit(5, { topic: 'Web chat', what: 'Other requests per visitor and path', unit: 'perSecond', beyond: '429' }),
  declareLimit(50, { topic: 'Web chat', what: 'Other requests per visitor and path: in a row', beyond: '429' }),
] as const;
/** An address gets the rate of so many visitors for each page a second that it may request: a school or an office has one address. */
const VISITORS_OF_ADDRESS = 1 / 2;

/** Declares a route that takes the token of a visitor. */
export function visitorRoute<B extends TSchema>(app: FastifyInstance, kit: Kit, route: Route<Visit, B>): void {
  const [refillPerSecond, capacity] = route.rate ?? USUAL_RATE;
  declareRoute(app, kit, route, async (site, request, reply) => {
    const visitor = await readVisitor(kit, site, request.headers.authorization);
    const subject = `web-visitor:${visitor._id}:${route.path}`;
    const together = `web-visitors:${addressGroup(request.ip)}:${route.path}`;
    const visitors = Math.max(1, kit.config.RATE_LIMIT_PAGES * VISITORS_OF_ADDRESS);
    await admitWithHeaders(kit.access, reply, [
      { subject, refillPerSecond, capacity },
      // Who may begin visits without end must not multiply the rate of a visitor by them.
      { subject: together, refillPerSecond: refillPerSecond * visitors, capacity: capacity * visitors },
    ]);
    return { site, visitor };
  });
}

function declareRoute<W extends object, B extends TSchema>(
  app: FastifyInstance,
  kit: Kit,
  route: Route<W, B>,
  enter: Enter<W>,
): void {
  const { method, path, query, body, form, answers, handler } = route;
  const entered = new WeakMap<FastifyRequest, W>();
  const forms = new WeakMap<FastifyRequest, Form>();
  // docs/web-chat.md describes these routes; the document of the API is for companies.
  const schema = {
    hide: true,
    params: SiteParams,
    querystring: query ?? NO_QUERY,
    ...(body ? { body } : {}),
    response: answers,
  };
  const options: RouteOptions = {
    method,
    url: PATH + path,
    bodyLimit: BODY_LIMIT,
    config: { access: 'visitor', origins: createOriginRule(kit) },
    schema,
    onRequest: async (request, reply) => {
      entered.set(request, await enter(await admitToSite(kit, request, reply), request, reply));
      checkQuery(request.query as Record<string, unknown>);
    },
    preValidation: async (request, reply) => {
      if (!form) return body === undefined ? refuseSurplus(request.body) : undefined;
      const received = await receiveForm(request, reply, { ...form, body, owner: addressGroup(request.ip) });
      forms.set(request, received);
      request.body = received.body;
    },
    handler: async (request, reply) => {
      const who = entered.get(request);
      if (!who) throw new Error('a request that did not enter reached its handler');
      const received = forms.get(request);
      received?.hold();
      try {
        const asked = { query: request.query, body: request.body as Static<B>, request, reply };
        return await handler(who, { ...asked, upload: received?.upload ?? null });
      } finally {
        await received?.discard();
      }
    },
  };
  addRoute(app, options, form !== undefined);
}

/** A form needs another body parser, which Fastify allows only in an encapsulated context. */
function addRoute(app: FastifyInstance, options: RouteOptions, isForm: boolean): void {
  if (!isForm) app.route(options);
  else
    void app.register(async (inner) => {
      await acceptForms(inner);
      inner.route(options);
    });
}

const NO_QUERY = { type: 'object', properties: {}, additionalProperties: false };

const createOriginRule =
  (kit: Kit): OriginRule =>
  async (origin, { inbox = '' }, address) => {
    const site = await readSite(kit, inbox, addressShare(address));
    return site !== null && namesOrigin(site, origin);
  };

/**
 * Counts the request, and returns the chat that it is about. Throws NOT_FOUND for an unknown inbox, and ORIGIN_NOT_ALLOWED for a page of a
 * site that the inbox does not name.
 */
async function admitToSite(kit: Kit, request: FastifyRequest, reply: FastifyReply): Promise<Site> {
  const { inbox } = request.params as { inbox: string };
  const rate = kit.config.RATE_LIMIT_WEB_CHAT;
  // Addresses are counted before anything is looked up, also when they ask for inboxes that do not exist.
  const byAddress = makeAllowance(`web-address:${addressGroup(request.ip)}`, kit.config.RATE_LIMIT_PAGES);
  await admitWithHeaders(kit.access, reply, [byAddress]);
  const site = expectFound(await readSite(kit, inbox, addressShare(request.ip)));
  await admitWithHeaders(kit.access, reply, [makeAllowance(`web-inbox:${site.inbox}`, rate)]);
  const { origin } = request.headers;
  if (origin !== undefined && !isOwnOrigin(request, origin) && !namesOrigin(site, origin))
    throw new AppError('ORIGIN_NOT_ALLOWED', undefined, [
      { path: 'origin', code: 'ORIGIN_NOT_ALLOWED', message: 'is not among the allowed_origins of the inbox' },
    ]);
  return site;
}

const BURST_SECONDS = 5;

const makeAllowance = (subject: string, refillPerSecond: number): Allowance => ({
  subject,
  refillPerSecond,
  capacity: refillPerSecond * BURST_SECONDS,
});

/** True for pages of the platform: browsers say it, and older ones name the host. */
function isOwnOrigin({ headers, host }: FastifyRequest, origin: string): boolean {
  const fetchSite = headers['sec-fetch-site'];
  return fetchSite === undefined ? URL.parse(origin)?.host === host : fetchSite === 'same-origin';
}

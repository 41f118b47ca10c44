/**
 * Declares the operations of visitors, which are not operations of the API of companies: a visitor's token opens them, and pages of the
 * sites that the inbox names can call them. docs/web-chat.md describes them.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { Kit } from '../../kit.ts';
import { admitWithHeaders } from '../../platform/http/access.ts';
import { AppError, expectFound } from '../../platform/values/errors.ts';
import { addressGroup, addressShare, type Allowance } from '../../platform/http/limits.ts';
import { guestOperation, type Declaration } from '../../platform/http/route.ts';
import type { Visit } from './chat.ts';
import { SiteParams } from './schemas.ts';
import { namesOrigin, readSite, type Site } from './sites.ts';
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

/** An operation; its path is below that of the inbox. */
type ChatDeclaration<W, Q extends TSchema, B extends TSchema, R extends TSchema> = Omit<
  Declaration<W, typeof SiteParams, Q, B, R>,
  'params'
>;

/** Declares an operation that everybody can call who opens a page with the chat. */
export const siteOperation = <Q extends TSchema, B extends TSchema, R extends TSchema>(
  app: FastifyInstance,
  kit: Kit,
  declaration: ChatDeclaration<Site, Q, B, R>,
): void => declareChat(app, kit, declaration, (site) => Promise.resolve(site));

const USUAL_RATE = [
  declareLimit(5, { topic: 'Web chat', what: 'Other requests per visitor and path', unit: 'perSecond', beyond: '429' }),
  declareLimit(50, { topic: 'Web chat', what: 'Other requests per visitor and path: in a row', beyond: '429' }),
] as const;
/** An address gets the rate of so many visitors for each page a second that it may request: a school or an office has one address. */
const VISITORS_OF_ADDRESS = 1 / 2;

/**
 * Declares an operation that requires the token of a visitor. `rate`: how many of these requests one visitor may send in a second, and how
 * many in a row after a pause.
 */
export function visitorOperation<Q extends TSchema, B extends TSchema, R extends TSchema>(
  app: FastifyInstance,
  kit: Kit,
  declaration: ChatDeclaration<Visit, Q, B, R> & { rate?: readonly [perSecond: number, inARow: number] },
): void {
  const { path, rate = USUAL_RATE } = declaration;
  const [refillPerSecond, capacity] = rate;
  declareChat(app, kit, declaration, async (site, request, reply) => {
    const visitor = await readVisitor(kit, site, request.headers.authorization);
    const subject = `web-visitor:${visitor._id}:${path}`;
    const together = `web-visitors:${addressGroup(request.ip)}:${path}`;
    const visitors = Math.max(1, kit.config.RATE_LIMIT_PAGES * VISITORS_OF_ADDRESS);
    await admitWithHeaders(kit.access, reply, [
      { subject, refillPerSecond, capacity },
      // Who may begin visits without end must not multiply the rate of a visitor by them.
      { subject: together, refillPerSecond: refillPerSecond * visitors, capacity: capacity * visitors },
    ]);
    return { site, visitor };
  });
}

function declareChat<W extends object, Q extends TSchema, B extends TSchema, R extends TSchema>(
  app: FastifyInstance,
  kit: Kit,
  { path, ...declaration }: ChatDeclaration<W, Q, B, R>,
  enter: (site: Site, request: FastifyRequest, reply: FastifyReply) => Promise<W>,
): void {
  guestOperation(
    app,
    kit.access,
    { ...declaration, path: PATH + path, params: SiteParams },
    {
      name: 'visitor',
      bodyLimit: BODY_LIMIT,
      origins: async (origin, { inbox = '' }, address) => {
        const site = await readSite(kit, inbox, addressShare(address));
        return site !== null && namesOrigin(site, origin);
      },
      enter: async (request, reply) => enter(await admitToSite(kit, request, reply), request, reply),
    },
  );
}

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

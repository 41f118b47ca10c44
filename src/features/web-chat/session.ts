/** The beginning of a visit: who the visitor is, and what waits for them. */
import type { Static } from 'typebox';
import type { Kit } from '../../kit.ts';
import { AppError } from '../../platform/values/errors.ts';
import { enterKnown, findVisitorContact } from './people.ts';
import { countUnread, findNewestConversation } from './queries.ts';
import type { SessionStart, WebSession } from './schemas.ts';
import type { Site } from './sites.ts';
import { newAnonymous, readIdentity, readVisitor, signVisitor, type Visitor } from './tokens.ts';

/**
 * Begins a visit or goes on with one. Who was known by a proof of the site, and comes without one, is a new anonymous visitor: someone else
 * may sit at that browser.
 */
export async function startSession(
  kit: Kit,
  site: Site,
  { authorization, body }: { authorization: string | undefined; body: Static<typeof SessionStart> },
): Promise<WebSession> {
  const before = authorization === undefined ? null : await readVisitor(kit, site, authorization);
  const identity = body.identity === undefined ? null : await readIdentity(site, body.identity);
  if (!identity && site.config.identity_required) throw new AppError('IDENTITY_REQUIRED');
  const visitor = identity ? await enterKnown(kit, site, identity, before) : continueAnonymous(before);
  const { token, expiresAt } = await signVisitor(kit, site, visitor);
  return {
    token,
    expires_at: expiresAt.toISOString(),
    visitor: visitor._id,
    is_known: identity !== null,
    name: identity?.name ?? null,
    ...(await describeChat(kit, site, visitor)),
  };
}

const continueAnonymous = (before: Visitor | null): Visitor => (before?.externalId === null ? before : newAnonymous());

async function describeChat(
  kit: Kit,
  site: Site,
  visitor: Visitor,
): Promise<Pick<WebSession, 'has_conversation' | 'unread_count'>> {
  const contact = await findVisitorContact(kit, site, visitor);
  const read = kit.database.read(site.company);
  const newest = contact === null ? null : await findNewestConversation(read, { inbox: site.inbox, contact });
  return {
    // A known person can be written to before they write.
    has_conversation: newest !== null,
    unread_count: newest ? await countUnread(read, newest.conversation) : 0,
  };
}

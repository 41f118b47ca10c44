/** What a visitor reads, and what they report of it. */
import type { InboundStatus } from '../../channels/channel.ts';
import type { Kit } from '../../kit.ts';
import { invalid, unknownReference } from '../../platform/values/errors.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import type { Intake } from '../inbound/intake.ts';
import { findVisitorContact, toPerson } from './people.ts';
import { readShown, toWebMessage } from './present.ts';
import {
  countUnread,
  findNewestConversation,
  findPlace,
  listChat,
  listUnreported,
  type Chat,
  type Place,
} from './queries.ts';
import type { Receipts, WebMessages, WebMessagesQuery } from './schemas.ts';
import type { Site } from './sites.ts';
import type { Visitor } from './tokens.ts';

/** The visitor at a chat whose site is known. */
export interface Visit {
  site: Site;
  visitor: Visitor;
}

/** The part of the store that belongs to a visitor; null for one who has no contact yet. */
export async function openChat(kit: Kit, { site, visitor }: Visit): Promise<{ read: TenantRead; chat: Chat } | null> {
  const contact = await findVisitorContact(kit, site, visitor);
  return contact === null ? null : { read: kit.database.read(site.company), chat: { inbox: site.inbox, contact } };
}

export async function listMessages(kit: Kit, visit: Visit, query: WebMessagesQuery): Promise<WebMessages> {
  const { before, after, limit = 50 } = query;
  if (before !== undefined && after !== undefined) throw invalid('before', 'cannot be combined with after');
  const opened = await expectChat(kit, visit, { before, after });
  if (!opened) return { result: [], has_more: false, unseen_count: 0 };
  const { read, chat } = opened;
  const places = {
    after: await expectPlace(read, chat, 'after', after),
    before: await expectPlace(read, chat, 'before', before),
  };
  // One more than the page shows whether there are more.
  const [shown, newest] = await Promise.all([
    listChat(read, chat, { ...places, limit: limit + 1 }),
    findNewestConversation(read, chat),
  ]);
  const messages = await readShown(read, shown.slice(0, limit));
  return {
    result: messages.map((message) => toWebMessage(visit.site, message)),
    has_more: shown.length > limit,
    unseen_count: newest?.unseen_count ?? 0,
  };
}

/** Opens the chat of a visitor. Who has none cannot name a message of it. */
async function expectChat(kit: Kit, visit: Visit, named: Record<string, string | undefined>) {
  const opened = await openChat(kit, visit);
  const path = Object.entries(named).find(([, id]) => id !== undefined)?.[0];
  if (!opened && path !== undefined) throw unknownReference(path);
  return opened;
}

async function expectPlace(read: TenantRead, chat: Chat, path: string, id: string | undefined): Promise<Place | null> {
  if (id === undefined) return null;
  const place = await findPlace(read, chat, id);
  if (!place) throw unknownReference(path);
  return place;
}

// A report covers at most this many messages; what is older was reported when it was new.
const MOST_REPORTED = 100;

/** Stores which messages have reached the visitor, and which have been read. They are statuses of the network like any others. */
export async function reportReceipts(
  kit: Kit,
  intake: Intake,
  visit: Visit,
  { delivered_to, read_to }: Receipts,
): Promise<{ unread_count: number }> {
  const opened = await expectChat(kit, visit, { delivered_to, read_to });
  if (!opened) return { unread_count: 0 };
  const { read, chat } = opened;
  const report = async (path: 'delivered_to' | 'read_to', id: string | undefined): Promise<InboundStatus[]> => {
    const place = await expectPlace(read, chat, path, id);
    const { before, status } = REPORTS[path];
    const ids = place ? await listUnreported(read, chat, { place, statuses: before, limit: MOST_REPORTED }) : [];
    return ids.map((externalId) => makeStatus(visit, externalId, status));
  };
  const statuses = [...(await report('delivered_to', delivered_to)), ...(await report('read_to', read_to))];
  if (statuses.length > 0) await intake.take(kit.channels.get('WEB_V2'), 0, statuses);
  const newest = await findNewestConversation(read, chat);
  return { unread_count: newest ? await countUnread(read, newest.conversation) : 0 };
}

/** What each report says, and the statuses of the messages that it is news for. */
const REPORTS = {
  delivered_to: { before: ['SENT'], status: 'DELIVERED' },
  read_to: { before: ['SENT', 'DELIVERED'], status: 'READ' },
} as const;

const makeStatus = ({ site, visitor }: Visit, externalId: string, status: 'DELIVERED' | 'READ'): InboundStatus => ({
  kind: 'status',
  address: site.inbox,
  timestamp: new Date(),
  externalId,
  messageId: null,
  person: toPerson(visitor),
  status,
  errors: [],
});

/** Shows to the people of the company that the visitor types. Nothing is stored. */
export async function showTyping(kit: Kit, visit: Visit, state: 'TYPING' | 'IDLE'): Promise<void> {
  const opened = await openChat(kit, visit);
  const newest = opened && (await findNewestConversation(opened.read, opened.chat));
  if (!opened || !newest) return;
  const by = { _id: opened.chat.contact, name: newest.contact_name ?? 'Visitor' };
  const presence = { conversation: newest.conversation, by, state: state === 'TYPING' ? 'TYPING' : 'AWAY' };
  kit.changes.signal({ company: visit.site.company, data: { presence } });
}

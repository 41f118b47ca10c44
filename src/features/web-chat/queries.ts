/** Statements about the messages that a visitor may see: what the visitor wrote and what was sent to them, in one inbox. */
import { many, maybeOne, oneValue } from '../../platform/store/db.ts';
import type { SystemTx, TenantRead } from '../../platform/store/tenant.ts';
import { declareLimit } from '../../platform/values/limits.ts';

/** A message that a visitor may see. */
export interface Shown {
  _id: string;
  /** The name of the person of the company who wrote it; null for the others. */
  author_name: string | null;
  /** The address of the picture of that person. */
  author_avatar_url: string | null;
}

/** Whose chat is read. */
export interface Chat {
  inbox: string;
  contact: string;
}

/** Notes and lines of the system are the company's own, and so is what was not sent. */
const VISIBLE = `m.message_type in ('INCOMING', 'OUTGOING') and m.status not in ('QUEUED', 'FAILED')`;

const AUTHOR = `from users u where m.sender_type = 'USER' and u.company_id = m.company_id and u._id = m.sender_id`;
const SHOWN = `m._id, (select u.name ${AUTHOR}) as author_name, (select u.avatar_url ${AUTHOR}) as author_avatar_url`;

/** Stands in place of the visitor's own id of a message in the network id of the form that has the answers. */
export const ANSWERS = 'answers';

/** A visitor has few conversations, each of which is read along its index. */
const MOST_CONVERSATIONS = declareLimit(200, {
  topic: 'Web chat',
  what: 'Conversations of a visitor',
  beyond: 'only the newest ones',
});

/** The newest conversations of a chat. The first parameters are the company, the inbox, the contact and MOST_CONVERSATIONS. */
const CONVERSATIONS = `(select _id from conversations where company_id = $1 and contact_id = $3 and inbox_id = $2
  order by created_at desc, _id desc limit $4) v`;

export interface Place {
  external_id?: string | null;
  createdAt: string;
  _id: string;
}

/** The place of a message in the chat; null when the visitor may not see it. */
export function findPlace(tx: TenantRead, { inbox, contact }: Chat, id: string): Promise<Place | null> {
  return maybeOne(tx, {
    name: 'web-chat.findPlace',
    text: `select m.created_at as "createdAt", m._id, m.external_id from messages m
      where m.company_id = $1 and m._id = $2 and m.inbox_id = $3 and m.contact_id = $4 and ${VISIBLE}`,
    values: [tx.companyId, id, inbox, contact],
  });
}

/** Lists messages of a chat after a place, the oldest first, or before a place, the newest first; with null the newest ones. */
export function listChat(
  tx: TenantRead,
  { inbox, contact }: Chat,
  { after, before, limit }: { after: Place | null; before: Place | null; limit: number },
): Promise<Shown[]> {
  const order = after ? 'asc' : 'desc';
  const place = after ?? before;
  const beyond = place ? `and (m.created_at, m._id) ${after ? '>' : '<'} ($6::timestamptz, $7::text)` : '';
  return many(tx, {
    name: `web-chat.list.${after ? 'after' : before ? 'before' : 'newest'}`,
    text: `select m._id, m.author_name, m.author_avatar_url from ${CONVERSATIONS}
        cross join lateral (select ${SHOWN}, m.created_at from messages m
          where m.company_id = $1 and m.conversation_id = v._id and ${VISIBLE} ${beyond}
          order by m.created_at ${order}, m._id ${order} limit $5) m
      order by m.created_at ${order}, m._id ${order} limit $5`,
    values: [tx.companyId, inbox, contact, MOST_CONVERSATIONS, limit, ...(place ? [place.createdAt, place._id] : [])],
  });
}

/** Finds those of the messages that their contacts may see. */
export function findVisible(tx: TenantRead, ids: string[]): Promise<Shown[]> {
  return many(tx, {
    name: 'web-chat.findVisible',
    text: `select ${SHOWN} from messages m where m.company_id = $1 and m._id = any($2::text[]) and ${VISIBLE}`,
    values: [tx.companyId, ids],
  });
}

/** Finds the message that the visitor has stored with this id of the network. */
export function findByExternalId(tx: TenantRead, inbox: string, externalId: string): Promise<Shown | null> {
  return maybeOne(tx, {
    name: 'web-chat.findByExternalId',
    text: `select ${SHOWN} from message_keys y join messages m on m.company_id = y.company_id and m._id = y.message_id
      where y.company_id = $1 and y.key = message_key($2, $3)`,
    values: [tx.companyId, inbox, externalId],
  });
}

export interface OpenChat {
  conversation: string;
  createdAt: string;
  is_open: boolean;
  unseen_count: number;
  contact_name: string | null;
}

/** The newest conversation of the visitor; null before the first message. */
export function findNewestConversation(tx: TenantRead, { inbox, contact }: Chat): Promise<OpenChat | null> {
  return maybeOne(tx, {
    name: 'web-chat.findNewestConversation',
    text: `select v._id as conversation, v.created_at as "createdAt", v.status <> 'CLOSED' as is_open, v.unread_count as unseen_count, c.name as contact_name
      from conversations v join contacts c on c.company_id = v.company_id and c._id = v.contact_id
      where v.company_id = $1 and v.contact_id = $3 and v.inbox_id = $2 order by v.created_at desc, v._id desc limit 1`,
    values: [tx.companyId, inbox, contact],
  });
}

/** Every form of answers has this end of its network id, whoever the visitor was when they gave them. */
export function hasAnswers(tx: TenantRead, { inbox, contact }: Chat): Promise<boolean> {
  return oneValue(tx, {
    name: 'web-chat.hasAnswers',
    text: `select exists (select from ${CONVERSATIONS}
        cross join lateral (select from messages m
          where m.company_id = $1 and m.conversation_id = v._id and m.external_id like '%:' || $5 limit 1) m) as found`,
    values: [tx.companyId, inbox, contact, MOST_CONVERSATIONS, ANSWERS],
  });
}

// More unread messages than this are reported as this many.
const MOST_UNREAD = declareLimit(99, {
  topic: 'Web chat',
  what: 'Unread messages that are counted',
  beyond: 'the count stays at this number',
});

/** Counts what was sent to the visitor in the newest conversation and has not been read. */
export function countUnread(tx: TenantRead, conversation: string): Promise<number> {
  return oneValue(tx, {
    name: 'web-chat.countUnread',
    text: `select count(*)::integer as unread from (select from messages m
      where m.company_id = $1 and m.conversation_id = $2 and m.message_type = 'OUTGOING' and m.status in ('SENT', 'DELIVERED')
      limit $3) counted`,
    values: [tx.companyId, conversation, MOST_UNREAD],
  });
}

/** The network ids of messages to the visitor up to a place that have not reached a status yet, the newest first. */
export async function listUnreported(
  tx: TenantRead,
  { inbox, contact }: Chat,
  { place, statuses, limit }: { place: Place; statuses: readonly string[]; limit: number },
): Promise<string[]> {
  const rows = await many<{ external_id: string }>(tx, {
    name: 'web-chat.listUnreported',
    text: `select m.external_id from ${CONVERSATIONS}
        cross join lateral (select m.external_id, m.created_at, m._id from messages m
          where m.company_id = $1 and m.conversation_id = v._id and m.message_type = 'OUTGOING' and m.status = any($5)
            and (m.created_at, m._id) <= ($6::timestamptz, $7::text)
          order by m.created_at desc, m._id desc limit $8) m
      order by m.created_at desc, m._id desc limit $8`,
    values: [tx.companyId, inbox, contact, MOST_CONVERSATIONS, statuses, place.createdAt, place._id, limit],
  });
  return rows.map(({ external_id }) => external_id);
}

// Companies whose people have pictures keep them at a few places.
const MOST_PICTURES = 100;

/** The addresses of the pictures of the company's people, those of the newest people last. */
export async function listPictures(tx: SystemTx, company: string): Promise<string[]> {
  const rows = await many<{ avatar_url: string }>(tx, {
    name: 'web-chat.listPictures',
    text: `select avatar_url from users where company_id = $1 and avatar_url is not null and removed_at is null
      order by _id limit $2`,
    values: [company, MOST_PICTURES],
  });
  return rows.map(({ avatar_url }) => avatar_url);
}

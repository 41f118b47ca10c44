/** Statements that store new messages of the company, one or many. */
import type { ContentParts } from '../../channels/content.ts';
import type { ActorOrigin } from '../../platform/values/actor.ts';
import { exec, one } from '../../platform/store/db.ts';
import { givenRow, givenRows } from '../../platform/store/given-rows.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { columnTypes, insertSql } from './message-sql.ts';
import { SUMMARY } from './queries.ts';
import type { Cause, Message } from './schemas.ts';

export interface NewOutgoing {
  _id: string;
  conversation: string;
  contact: string;
  inbox: string;
  channel: Message['channel'];
  sender_type: 'USER' | 'AGENT';
  sender: string | null;
  message_type: 'OUTGOING' | 'NOTE';
  origin: NonNullable<ActorOrigin> | 'BULK';
  campaign: string | null;
  /** The enrollment of the campaign that sends it. */
  enrollment?: string;
  agent: string | null;
  content: ContentParts;
  attachment: string | null;
  media: Message['media'];
  reply_to: string | null;
  /** The users whom a note mentions; none when absent. */
  mentions?: string[];
  status: 'QUEUED' | 'SENT' | 'FAILED';
  errors: Cause[];
  is_test: boolean;
}

const toJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

const COLUMNS: [column: string, read: (message: NewOutgoing) => unknown][] = Object.entries({
  _id: ({ _id }) => _id,
  conversation_id: ({ conversation }) => conversation,
  contact_id: ({ contact }) => contact,
  inbox_id: ({ inbox }) => inbox,
  channel: ({ channel }) => channel,
  sender_type: ({ sender_type }) => sender_type,
  sender_id: ({ sender }) => sender,
  message_type: ({ message_type }) => message_type,
  origin: ({ origin }) => origin,
  reply_to: ({ reply_to }) => reply_to,
  status: ({ status }) => status,
  errors: ({ errors }) => toJson(errors),
  is_test: ({ is_test }) => is_test,
  content_type: ({ content }) => content.contentType,
  content: ({ content }) => content.content,
  media: ({ media }) => toJson(media),
  template: ({ content }) => toJson(content.template),
  interactive: ({ content }) => toJson(content.interactive),
  location: ({ content }) => toJson(content.location),
  contacts: ({ content }) => toJson(content.contacts),
  reaction: ({ content }) => toJson(content.reaction),
  email: ({ content }) => toJson(content.email),
  unsupported: ({ content }) => toJson(content.unsupported),
  campaign_id: ({ campaign }) => campaign,
  enrollment_id: ({ enrollment = null }) => enrollment,
  agent_id: ({ agent }) => agent,
  attachment_id: ({ attachment }) => attachment,
  mentions: ({ mentions = [] }) => toJson(mentions),
} satisfies Record<string, (message: NewOutgoing) => unknown>);
const NAMES = COLUMNS.map(([column]) => column);
const insertFrom = (rows: typeof givenRows): string =>
  insertSql(NAMES, {
    rows: rows(columnTypes(NAMES), 2),
    computed: {
      company_id: '$1',
      sent_at: "case when n.status = 'SENT' then now() end",
      failed_at: "case when n.status = 'FAILED' then now() end",
    },
  });

const INSERT = insertFrom(givenRow);
const INSERT_MANY = insertFrom(givenRows);

type Inserted = Pick<Message, 'contact_summary' | 'sent_at' | 'failed_at' | 'createdAt' | 'updatedAt'>;

export async function insertOutgoing(tx: TenantTx, message: NewOutgoing): Promise<Message> {
  const inserted = await one<Inserted>(tx, {
    name: 'messages.insertOutgoing',
    text: `${INSERT} returning ${SUMMARY} as contact_summary, m.sent_at, m.failed_at, m.created_at as "createdAt", m.updated_at as "updatedAt"`,
    values: [tx.companyId, ...COLUMNS.map(([, read]) => read(message))],
  });
  return toStored(tx, message, inserted);
}

/** Returns the message as a read would. Reading all its columns back takes a tenth of what storing it does. */
function toStored({ companyId: company }: TenantTx, message: NewOutgoing, inserted: Inserted): Message {
  const { content: parts, enrollment = null, mentions = [], media, reply_to, ...rest } = message;
  const { reaction, ...content } = parts;
  return {
    ...content,
    contacts: content.contacts as Message['contacts'],
    ...rest,
    company,
    media,
    enrollment,
    mentions,
    reply_to,
    reaction: reaction && { message: reply_to, emoji: reaction.emoji },
    ...NOT_YET,
    ...inserted,
  };
}

/** What no new message of ours has. */
const NOT_YET = {
  referral: null,
  forwarded: null,
  external_id: null,
  is_echo: false,
  edited_at: null,
  revoked_at: null,
  delivered_at: null,
  read_at: null,
} as const;

export function insertManyOutgoing(tx: TenantTx, messages: readonly NewOutgoing[]): Promise<number> {
  return exec(tx, {
    name: 'messages.insertManyOutgoing',
    text: INSERT_MANY,
    values: [tx.companyId, ...COLUMNS.map(([, read]) => messages.map(read))],
  });
}

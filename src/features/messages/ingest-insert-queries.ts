/** Statements that store the messages of a batch of callbacks, with the records of their files. */
import { exec, many } from '../../platform/store/db.ts';
import { givenRows } from '../../platform/store/given-rows.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { columnTypes, insertSql, joinKeys } from './message-sql.ts';
import { MESSAGE, toMessage, type MessageRow } from './queries.ts';
import type { Message, MessageStatus } from './schemas.ts';

export interface NewInbound {
  _id: string;
  company_id: string;
  conversation_id: string;
  contact_id: string;
  inbox_id: string;
  channel: string;
  sender_type: string;
  sender_id: string | null;
  message_type: string;
  origin: string;
  content_type: string;
  content: string | null;
  attachment_id: string | null;
  media: string | null;
  interactive: string | null;
  location: string | null;
  contacts: string | null;
  reaction: string | null;
  referral: string | null;
  forwarded: string | null;
  unsupported: string | null;
  email: string | null;
  digest: string | null;
  reply_to: string | null;
  reply_to_external: string | null;
  status: MessageStatus;
  errors: string;
  external_id: string;
  is_echo: boolean;
  is_test: boolean;
  sent_at: string;
  created_at: string;
  updated_at: string;
}

const COLUMNS = [
  '_id',
  'company_id',
  'conversation_id',
  'contact_id',
  'inbox_id',
  'channel',
  'sender_type',
  'sender_id',
  'message_type',
  'origin',
  'content_type',
  'content',
  'attachment_id',
  'media',
  'interactive',
  'location',
  'contacts',
  'reaction',
  'referral',
  'forwarded',
  'unsupported',
  'email',
  'digest',
  'reply_to',
  'reply_to_external',
  'status',
  'errors',
  'external_id',
  'is_echo',
  'is_test',
  'sent_at',
  'created_at',
  'updated_at',
] as const satisfies (keyof NewInbound)[];

/** The record of a file that the network still has to hand out. */
export interface NewFile {
  company: string;
  _id: string;
  file_type: string;
  extension: string;
  mime_type: string;
  file_name: string;
  storage_key: string;
  link: string;
  /** By which the network provides the file, and the hash that it has announced. */
  network_id: string;
  sha256: string | null;
}

// A message whose key is taken is stored already. All transactions store keys in one order, so none waits for another one that waits for it.
const KEYED = `with given as ${givenRows(columnTypes(COLUMNS))}, keyed as (
    insert into message_keys (company_id, key, message_id)
    select n.company_id, message_key(n.inbox_id, n.external_id), n._id from given n order by 1, 2
    on conflict do nothing returning message_id
  )`;
const INSERT = `${insertSql(COLUMNS, { rows: 'given' })} join keyed y on y.message_id = n._id returning ${MESSAGE}`;
const FILE_COLUMNS =
  '(company_id, _id, file_type, extension, mime_type, file_name, storage_key, link, network_id, sha256)';

/**
 * Returns common table expressions that store the records of files and queue their downloads, for the messages of an earlier expression
 * `stored (company, _id, inbox, attachment)`. The parameters of the files begin with number `first`.
 */
const storeFiles = (first: number): string => `expected as (
    select * from unnest(${Array.from({ length: 10 }, (_, index) => `$${first + index}::text[]`).join(', ')}) as f ${FILE_COLUMNS}
  ), files as (
    insert into attachments (company_id, _id, file_type, extension, mime_type, file_name, storage_key, link, state, is_brought)
    select f.company_id, f._id, f.file_type, f.extension, f.mime_type, f.file_name, f.storage_key, f.link, 'PENDING', true
    from expected f join stored s on s.company = f.company_id and s.attachment = f._id
  ), downloads as (
    insert into media_downloads (company_id, attachment_id, message_id, inbox_id, network_id, sha256)
    select s.company, s.attachment, s._id, s.inbox, f.network_id, f.sha256
    from expected f join stored s on s.company = f.company_id and s.attachment = f._id
  )`;

const fileColumns = (files: NewFile[]): (string | null)[][] => [
  files.map((file) => file.company),
  files.map((file) => file._id),
  files.map((file) => file.file_type),
  files.map((file) => file.extension),
  files.map((file) => file.mime_type),
  files.map((file) => file.file_name),
  files.map((file) => file.storage_key),
  files.map((file) => file.link),
  files.map((file) => file.network_id),
  files.map((file) => file.sha256),
];

/** Inserts the messages that are not stored yet, with the records of their files, and returns the inserted ones. */
export async function insertInbound(tx: SystemTx, messages: NewInbound[], files: NewFile[]): Promise<Message[]> {
  const values = COLUMNS.map((column) => messages.map((message) => message[column]));
  const rows = await many<MessageRow>(
    tx,
    files.length === 0
      ? { name: 'messages.insertInbound', text: `${KEYED} ${INSERT}`, values }
      : {
          name: 'messages.insertInboundFiles',
          text: `${KEYED}, stored as (${INSERT}), ${storeFiles(values.length + 1)} select * from stored`,
          values: [...values, ...fileColumns(files)],
        },
  );
  return rows.map(toMessage);
}

/** Stores the whole texts of mails. */
export function insertBodies(
  tx: SystemTx,
  bodies: { company: string; message: string; content: string }[],
): Promise<number> {
  return exec(tx, {
    name: 'messages.insertBodies',
    text: `insert into message_bodies (company_id, _id, content)
      select * from unnest($1::text[], $2::text[], $3::text[]) order by 1, 2`,
    values: [
      bodies.map(({ company }) => company),
      bodies.map(({ message }) => message),
      bodies.map(({ content }) => content),
    ],
  });
}

/**
 * Completes history messages: the network first sends a placeholder without content, and later the same message with its file. Returns how
 * many.
 */
export function completePlaceholders(tx: SystemTx, messages: NewInbound[], files: NewFile[]): Promise<number> {
  return exec(tx, {
    name: 'messages.completePlaceholders',
    text: `with stored as (
        update messages m set content_type = n.content_type, content = n.content, media = n.media::jsonb, attachment_id = n.attachment_id,
          unsupported = null, updated_at = now()
        from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
          as n (company_id, inbox_id, external_id, content_type, content, media, attachment_id)
        ${joinKeys('n')}
        where m.company_id = y.company_id and m._id = y.message_id and m.content_type = 'UNSUPPORTED' and m.media is null
        returning m.company_id as company, m._id, m.inbox_id as inbox, m.attachment_id as attachment
      ), ${storeFiles(8)} select from stored`,
    values: [
      messages.map((message) => message.company_id),
      messages.map((message) => message.inbox_id),
      messages.map((message) => message.external_id),
      messages.map((message) => message.content_type),
      messages.map((message) => message.content),
      messages.map((message) => message.media),
      messages.map((message) => message.attachment_id),
      ...fileColumns(files),
    ],
  });
}

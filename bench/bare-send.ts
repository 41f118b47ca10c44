/**
 * Sends texts to open conversations with plain `pg` and `undici`, writing the same rows in two transactions: the upper limit that single sends
 * are compared with. It checks nothing, and keeps no promise about a process that dies.
 */
import { Pool } from 'undici';
import { openPool } from '../src/platform/store/db.ts';
import { ROLES } from '../src/platform/store/roles.ts';
import { newId } from '../src/platform/values/ids.ts';
import { findSendingInbox, type BenchStage } from './stage.ts';

export interface OpenThread {
  conversation: string;
  contact: string;
  phone: string;
}

interface BareSend {
  /** Sends one text. */
  send(thread: OpenThread, content: string): Promise<void>;
  close(): Promise<void>;
}

type Query = (name: string, text: string, values: unknown[]) => Promise<unknown>;

/** `width`: how many callers there are; they have as many connections to the database as the platform's process has. */
export async function openBareSend(stage: BenchStage, networkUrl: string, width: number): Promise<BareSend> {
  const database = openPool(stage.database.url, ROLES.system, Math.min(width, 20));
  const network = new Pool(networkUrl, { connections: width });
  const inbox = await findSendingInbox(stage);
  const { company } = stage;

  async function inTransaction(work: (query: Query) => Promise<unknown>[]): Promise<void> {
    const client = await database.connect();
    try {
      // All statements of a transaction travel together.
      await Promise.all([
        client.query('begin'),
        ...work((name, text, values) => client.query({ name, text, values })),
        client.query('commit'),
      ]);
    } finally {
      client.release();
    }
  }

  async function post(message: string, phone: string, content: string): Promise<string> {
    const { body } = await network.request({
      method: 'POST',
      path: '/v26.0/100000000000001/messages',
      headers: { authorization: 'Bearer sandbox-token', 'content-type': 'application/json' },
      body: JSON.stringify({
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: phone,
        type: 'text',
        text: { body: content, preview_url: false },
        biz_opaque_callback_data: message,
      }),
    });
    const { messages } = (await body.json()) as { messages?: { id: string }[] };
    const id = messages?.[0]?.id;
    if (id === undefined) throw new Error('the network refused a text');
    return id;
  }

  return {
    async send({ conversation, contact, phone }, content) {
      const message = newId();
      const row = { company, inbox, conversation, contact, message };
      await inTransaction((query) => store(query, row, content));
      const external = await post(message, phone, content);
      await inTransaction((query) => settle(query, row, external));
    },
    close: async () => {
      await network.close();
      await database.end();
    },
  };
}

interface Row {
  company: string;
  inbox: string;
  conversation: string;
  contact: string;
  message: string;
}

const store = (query: Query, { company, inbox, conversation, contact, message }: Row, content: string) => [
  query('lock', 'select contact_id from conversations where company_id = $1 and _id = $2 for no key update', [
    company,
    conversation,
  ]),
  query(
    'message',
    `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin, status,
        content_type, content)
      values ($1, $2, $3, $4, $5, 'WAP_AUTO_CLOSER', 'AGENT', 'OUTGOING', 'API', 'QUEUED', 'TEXT', $6)`,
    [company, message, conversation, contact, inbox, content],
  ),
  query(
    'last',
    'update conversations set last_message_id = $3, last_message_at = now() where company_id = $1 and _id = $2',
    [company, conversation, message],
  ),
  query('touch', 'update contacts set last_message_at = now() where company_id = $1 and _id = $2', [company, contact]),
  query(
    'audit',
    `insert into audit_log (_id, company_id, actor_type, actor_name, action, resource, resource_id)
      values ($1, $2, 'KEY', 'Bench', 'message.create', 'message', $1)`,
    [message, company],
  ),
];

const settle = (query: Query, { company, message }: Row, external: string) => [
  query(
    'sent',
    `update messages set status = 'SENT', external_id = $3, sent_at = now(), updated_at = now() where company_id = $1 and _id = $2`,
    [company, message, external],
  ),
  query(
    'event',
    `insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, body)
      select company_id, $3, webhook_id, epoch, event, $2, json_build_object('data', repeat('x', 890)) from event_listeners where company_id = $1 and event = 'MESSAGE_SENT'`,
    [company, message, newId()],
  ),
];

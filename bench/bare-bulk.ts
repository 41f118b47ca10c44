/**
 * Sends one template to many new contacts with plain `pg` and `undici`, in transactions of 100 contacts that write the same rows: the upper
 * limit that bulk sending is compared with. It checks nothing, and would send again after a crash.
 */
import { Pool } from 'undici';
import { openPool } from '../src/platform/store/db.ts';
import { ROLES } from '../src/platform/store/roles.ts';
import { newId } from '../src/platform/values/ids.ts';
import { findSendingInbox, type BenchStage } from './stage.ts';

// The portion and the calls at once are those of bulk sending.
const PORTION = 100;
const CALLS = 96;
// One connection each for storing messages ahead, for marking them, and for what the network answered.
const CONNECTIONS = 3;

const TEMPLATE = { name: 'hello_world', language: 'pt_BR', components: [] };

interface BareBulk {
  /** Sends to these numbers. */
  send(phones: string[]): Promise<void>;
  close(): Promise<void>;
}

interface Row {
  row: number;
  phone: string;
  contact: string;
  conversation: string;
  message: string;
}

export async function openBareBulk(stage: BenchStage, networkUrl: string): Promise<BareBulk> {
  const database = openPool(stage.database.url, ROLES.system, CONNECTIONS);
  const network = new Pool(networkUrl, { connections: CALLS });
  const inbox = await findSendingInbox(stage);
  const at = { company: stage.company, inbox };

  async function inTransaction(work: (query: Query) => Promise<void>): Promise<void> {
    const client = await database.connect();
    try {
      await client.query('begin');
      await work((name, text, values) => client.query({ name, text, values }));
      await client.query('commit');
    } catch (error) {
      // Failure policy: a failed statement ends the benchmark.
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }

  async function post({ message, phone }: Row): Promise<string | null> {
    const { body } = await network.request({
      method: 'POST',
      path: '/v26.0/100000000000001/messages',
      headers: { authorization: 'Bearer sandbox-token', 'content-type': 'application/json' },
      body: JSON.stringify({
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: phone,
        type: 'template',
        template: { name: TEMPLATE.name, language: { code: TEMPLATE.language } },
        biz_opaque_callback_data: message,
      }),
    });
    const { messages } = (await body.json()) as { messages?: { id: string }[] };
    return messages?.[0]?.id ?? null;
  }

  async function send(phones: string[]): Promise<void> {
    const run = newId();
    const rows = phones.map((phone, index) => makeRow(phone, index + 1));
    const portions = Array.from({ length: Math.ceil(rows.length / PORTION) }, (_, index) =>
      rows.slice(index * PORTION, (index + 1) * PORTION),
    );
    await inTransaction((query) => insertRun(query, { ...at, run, rows }));
    const prepare = (portion: Row[] | undefined) =>
      portion && inTransaction((query) => insertMessages(query, { ...at, run, rows: portion }));
    let prepared = prepare(portions[0]);
    let storing: Promise<void> = Promise.resolve();
    for (const [index, portion] of portions.entries()) {
      await prepared;
      prepared = prepare(portions[index + 1]);
      await inTransaction((query) => markCalling(query, { ...at, run, rows: portion }));
      const answers = await Promise.all(portion.map(post));
      await storing;
      storing = inTransaction((query) => storeAnswers(query, { ...at, run, rows: portion }, answers));
    }
    await storing;
  }

  return {
    send,
    close: async () => {
      await network.close();
      await database.end();
    },
  };
}

const makeRow = (phone: string, row: number): Row => ({
  row,
  phone,
  contact: newId(),
  conversation: newId(),
  message: newId(),
});

type Query = (name: string, text: string, values: unknown[]) => Promise<unknown>;

interface Batch {
  company: string;
  inbox: string;
  run: string;
  rows: Row[];
}

const numbers = ({ rows }: Batch): number[] => rows.map(({ row }) => row);
const texts = ({ rows }: Batch, key: Exclude<keyof Row, 'row'>): string[] => rows.map((row) => row[key]);

async function insertRun(query: Query, batch: Batch): Promise<void> {
  const { company, inbox, run, rows } = batch;
  await query(
    'run',
    `insert into bulk_runs (company_id, _id, inbox_id, template, components, options, actor, total) values ($1, $2, $3, $4, '[]', '{}', '{}', $5)`,
    [company, run, inbox, JSON.stringify(TEMPLATE), rows.length],
  );
  await query(
    'rows',
    `insert into bulk_rows (company_id, run_id, row, name, phone) select $1, $2, n.row, 'Bench', '+' || n.phone from unnest($3::int[], $4::text[]) as n (row, phone)`,
    [company, run, numbers(batch), texts(batch, 'phone')],
  );
}

async function insertMessages(query: Query, batch: Batch): Promise<void> {
  const { company, inbox, run } = batch;
  const [contacts, phones] = [texts(batch, 'contact'), texts(batch, 'phone')];
  const [conversations, messages] = [texts(batch, 'conversation'), texts(batch, 'message')];
  await query(
    'known',
    `select contact_id from contact_identities where company_id = $1 and kind = 'PHONE' and value = any($2)`,
    [company, phones],
  );
  await query(
    'contacts',
    `insert into contacts (company_id, _id, name, phone_number, country_code, source)
      select $1, n._id, 'Bench', '+' || n.phone, 'BR', 'API' from unnest($2::text[], $3::text[]) as n (_id, phone)`,
    [company, contacts, phones],
  );
  await query(
    'names',
    `insert into contact_identities (company_id, kind, value, contact_id, address)
      select $1, 'PHONE', n.phone, n._id, n.phone from unnest($2::text[], $3::text[]) as n (_id, phone)`,
    [company, contacts, phones],
  );
  await query(
    'conversations',
    `insert into conversations (company_id, _id, contact_id, inbox_id, channel, handled_by)
      select $1, n._id, n.contact, $2, 'WAP_AUTO_CLOSER', 'NONE' from unnest($3::text[], $4::text[]) as n (_id, contact)`,
    [company, inbox, conversations, contacts],
  );
  const portfolio = [company, 'WAP_AUTO_CLOSER', 'bare'];
  await query(
    'places',
    `insert into portfolio_people as k (company_id, channel, portfolio, person, reached_at)
      select $1, $2, $3, n.person, now() from unnest($4::text[]) as n (person) order by n.person
      on conflict (company_id, channel, portfolio, person) do update set reached_at = excluded.reached_at`,
    [...portfolio, phones],
  );
  await query(
    'minute',
    `insert into portfolio_minutes as m (company_id, channel, portfolio, minute, people) values ($1, $2, $3, date_trunc('minute', now()), $4)
      on conflict (company_id, channel, portfolio, minute) do update set people = m.people + excluded.people`,
    [...portfolio, phones.length],
  );
  await query(
    'messages',
    `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin, status,
        content_type, content, template)
      select $1, n._id, n.conversation, n.contact, $2, 'WAP_AUTO_CLOSER', 'AGENT', 'OUTGOING', 'BULK', 'QUEUED', 'TEMPLATE', $3, $4
      from unnest($5::text[], $6::text[], $7::text[]) as n (_id, conversation, contact)`,
    [company, inbox, 'Bom dia! '.repeat(6), JSON.stringify(TEMPLATE), messages, conversations, contacts],
  );
  await query(
    'last',
    `update conversations v set last_message_id = n.message, last_message_at = now()
      from unnest($2::text[], $3::text[]) as n (_id, message) where v.company_id = $1 and v._id = n._id`,
    [company, conversations, messages],
  );
  await query('touch', 'update contacts set last_message_at = now() where company_id = $1 and _id = any($2)', [
    company,
    contacts,
  ]);
  await query(
    'ready',
    `update bulk_rows r set status = 'READY', contact_id = n.contact, conversation_id = n.conversation, message_id = n.message
      from unnest($3::int[], $4::text[], $5::text[], $6::text[]) as n (row, contact, conversation, message)
      where r.company_id = $1 and r.run_id = $2 and r.row = n.row`,
    [company, run, numbers(batch), contacts, conversations, messages],
  );
}

async function markCalling(query: Query, batch: Batch): Promise<void> {
  await query(
    'calling',
    `update bulk_rows set status = 'CALLING' where company_id = $1 and run_id = $2 and row = any($3)`,
    [batch.company, batch.run, numbers(batch)],
  );
  await query(
    'pairs',
    `insert into send_pairs as p (company_id, lane, person, next_at)
      select $1, 'bare', n.person, now() + interval '6 seconds' from unnest($2::text[]) as n (person)
      on conflict (company_id, lane, person) do update set next_at = excluded.next_at`,
    [batch.company, texts(batch, 'phone')],
  );
}

async function storeAnswers(query: Query, batch: Batch, answers: (string | null)[]): Promise<void> {
  const { company, run } = batch;
  await query(
    'answers',
    `update messages m set status = case when n.answer is null then 'FAILED' else 'SENT' end, external_id = n.answer, updated_at = now()
      from unnest($2::text[], $3::text[]) as n (_id, answer) where m.company_id = $1 and m._id = n._id`,
    [company, texts(batch, 'message'), answers],
  );
  await query(
    'done',
    `update bulk_rows r set status = case when n.answer is null then 'FAILED' else 'SENT' end
      from unnest($3::int[], $4::text[]) as n (row, answer) where r.company_id = $1 and r.run_id = $2 and r.row = n.row`,
    [company, run, numbers(batch), answers],
  );
  const sent = answers.filter((answer) => answer !== null).length;
  await query(
    'count',
    `update bulk_runs set sent_count = sent_count + $3, error_count = error_count + $4, updated_at = now() where company_id = $1 and _id = $2`,
    [company, run, sent, answers.length - sent],
  );
}

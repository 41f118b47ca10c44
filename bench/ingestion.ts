/**
 * (a) A signed callback to a stored message, its conversation and a queued event, over HTTP; against a bare loop of pg with
 * named statements that runs the same separate statements over the same number of connections.
 */
import { createHmac } from 'node:crypto';
import pg from 'pg';
import { Pool } from 'undici';
import { sessionOptions } from '../src/platform/db.ts';
import { newId } from '../src/platform/ids.ts';
import { median, rateOf, ratio, type Figure } from './measure.ts';
import { runPgbench } from './pgbench.ts';
import { spawnProgram, type Stage } from './stage.ts';

const WIDTH = 64;
// The platform's pool has as many.
const CONNECTIONS = 10;
const PEOPLE = 2_000;
let called = 0;
let written = 0;

export async function benchIngestion(stage: Stage): Promise<Figure[]> {
  const api = await spawnProgram('src/main.ts', ['api'], stage.env);
  const pool = new Pool(api.url, { connections: WIDTH, pipelining: 1 });
  const bare = await openBareLoop(stage);
  const callback = (): Promise<void> => postCallback(pool, stage.appSecret);
  // Everybody is known before anything is measured: most messages are of people who wrote before. One loop at a time: the
  // bare one has no mending for two that meet on a new contact.
  await repeat(callback, WIDTH);
  await repeat(bare.work, 1);
  const both = await interleaved(callback, bare.work);
  const lone = await rateOf(callback, 1, 2_000);
  const pgbench = await runPgbench(stage.database.ownerUrl, { people: PEOPLE, connections: CONNECTIONS, seconds: 8 });
  const platformAgain = await rateOf(callback, WIDTH, 4_000);
  await api.stop();
  await pool.close();
  await bare.close();
  return [
    ratio('(a) callbacks stored / bare pg loop', both.platform, both.bare, 1),
    ...(pgbench === null ? [] : [ratio('(a) callbacks stored / pgbench -M prepared', platformAgain, pgbench, 1)]),
    { name: '(a) one caller alone', value: `${(1000 / lone).toFixed(2)} ms a callback`, goal: 'reported', met: true },
  ];
}

/** Once for each of the people. */
async function repeat(work: () => Promise<void>, width: number): Promise<void> {
  const loop = async (): Promise<void> => {
    for (let count = 0; count < PEOPLE / width; count += 1) await work();
  };
  await Promise.all(Array.from({ length: width }, loop));
}

async function interleaved(
  platform: () => Promise<void>,
  bare: () => Promise<void>,
): Promise<{ platform: number; bare: number }> {
  const figures = { platform: [] as number[], bare: [] as number[] };
  for (let round = 0; round < 5; round += 1) {
    figures.platform.push(await rateOf(platform, WIDTH, 3_000));
    figures.bare.push(await rateOf(bare, CONNECTIONS, 3_000));
  }
  return { platform: median(figures.platform), bare: median(figures.bare) };
}

async function postCallback(pool: Pool, appSecret: string): Promise<void> {
  called += 1;
  const serial = called;
  const from = `55119${String(80_000_000 + (serial % PEOPLE))}`;
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '200000000000001',
        changes: [
          {
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '5511900000000', phone_number_id: '100000000000001' },
              contacts: [{ profile: { name: 'Bench' }, wa_id: from }],
              messages: [
                {
                  from,
                  id: `wamid.${process.pid}.${serial}`,
                  timestamp: String(Math.floor(Date.now() / 1000)),
                  type: 'text',
                  text: { body: `Mensagem ${serial}` },
                },
              ],
            },
          },
        ],
      },
    ],
  });
  const signature = createHmac('sha256', appSecret).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
  const { statusCode, body: answer } = await pool.request({ method: 'POST', path: '/hooks/wap', headers, body });
  await answer.dump();
  if (statusCode !== 200) throw new Error(`the callback was answered ${statusCode}`);
}

/** The same rows by separate statements, one after the other, one transaction a message, no HTTP, no signature, no parsing. */
async function openBareLoop(stage: Stage): Promise<{ work: () => Promise<void>; close(): Promise<void> }> {
  const pool = new pg.Pool({
    connectionString: stage.database.url,
    max: CONNECTIONS,
    options: sessionOptions('parley_system'),
  });
  const [inbox] = await stage.database.sql<{ _id: string }>('select _id from inboxes limit 1');
  const context = { company: stage.company, inbox: inbox?._id ?? '' };
  return {
    work: async () => {
      written += 1;
      const unit = written;
      const client = await pool.connect();
      try {
        await client.query('begin');
        await storeBarely((name, text, values) => client.query({ name, text, values }), context, unit);
        await client.query('commit');
      } catch (error) {
        // Failure policy: a benchmark that fails is no benchmark.
        await client.query('rollback');
        throw error;
      } finally {
        client.release();
      }
    },
    close: () => pool.end(),
  };
}

type Query = (name: string, text: string, values: unknown[]) => Promise<pg.QueryResult<Record<string, string>>>;

async function storeBarely(
  query: Query,
  { company, inbox }: { company: string; inbox: string },
  unit: number,
): Promise<void> {
  const phone = `55219${String(80_000_000 + (unit % PEOPLE))}`;
  await query(
    'receiver',
    `select company_id, _id, default_agent, default_owner from inboxes where channel = 'WAP_AUTO_CLOSER' and network_address = $1 and status = 'ACTIVE'`,
    ['100000000000001'],
  );
  await query('known', 'select 1 from messages where company_id = $1 and inbox_id = $2 and external_id = $3', [
    company,
    inbox,
    `bare.${process.pid}.${unit}`,
  ]);
  const held = await query(
    'identity',
    `select contact_id from contact_identities where company_id = $1 and kind = 'PHONE' and value = $2`,
    [company, phone],
  );
  let contact = held.rows[0]?.['contact_id'];
  if (!contact) {
    contact = newId();
    await query(
      'contact',
      `insert into contacts (company_id, _id, name, phone_number, source) values ($1, $2, 'Bench', $3, 'INBOUND')`,
      [company, contact, `+${phone}`],
    );
    await query(
      'name',
      `insert into contact_identities (company_id, kind, value, contact_id, address) values ($1, 'PHONE', $2, $3, $2) on conflict do nothing`,
      [company, phone, contact],
    );
  }
  const open = await query(
    'open',
    `select _id from conversations where company_id = $1 and inbox_id = $2 and contact_id = $3 and status <> 'CLOSED' for no key update`,
    [company, inbox, contact],
  );
  let conversation = open.rows[0]?.['_id'];
  if (!conversation) {
    conversation = newId();
    await query(
      'conversation',
      `insert into conversations (company_id, _id, contact_id, inbox_id, channel, handled_by) values ($1, $2, $3, $4, 'WAP_AUTO_CLOSER', 'NONE') on conflict do nothing`,
      [company, conversation, contact, inbox],
    );
  }
  const message = newId();
  await query(
    'message',
    `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin, content_type, content, status, external_id, sent_at)
      values ($1, $2, $3, $4, $5, 'WAP_AUTO_CLOSER', 'CONTACT', 'INCOMING', 'CHANNEL', 'TEXT', $6, 'RECEIVED', $7, now())`,
    [company, message, conversation, contact, inbox, `Mensagem ${unit}`, `bare.${process.pid}.${unit}`],
  );
  await query(
    'touch',
    `update conversations set last_message_id = $3, last_message_at = now(), last_inbound_at = now(), window_expires_at = now() + interval '24 hours', unread_count = unread_count + 1 where company_id = $1 and _id = $2`,
    [company, conversation, message],
  );
  await query(
    'seen',
    'update contacts set last_message_at = now(), last_inbound_at = now() where company_id = $1 and _id = $2',
    [company, contact],
  );
  await query(
    'event',
    `insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, body)
      select $1, $2, webhook_id, epoch, 'MESSAGE_RECEIVED', $3, $4 from event_listeners where company_id = $1 and event = 'MESSAGE_RECEIVED'`,
    [company, newId(), message, JSON.stringify({ event: 'MESSAGE_RECEIVED', data: { content: 'x'.repeat(800) } })],
  );
}

/**
 * Runs the statements that store an inbound message, one after the other, with plain `pg` code: the upper limit that benchmarks compare the
 * platform with.
 */
import type pg from 'pg';
import { openPool } from '../src/platform/store/db.ts';
import { ROLES } from '../src/platform/store/roles.ts';
import { QUEUE_MADE } from '../src/platform/store/events.ts';
import { newId } from '../src/platform/values/ids.ts';
import { findSendingInbox, type BenchStage } from './stage.ts';

// Counts on for all loops of a run: each message has an id of its own.
let written = 0;

/** Opens a loop that stores one message per transaction, without HTTP, signature or parsing. */
export async function createBareLoop(
  stage: BenchStage,
  { connections, people }: { connections: number; people: number },
): Promise<{ work: () => Promise<void>; close(): Promise<void> }> {
  const pool = openPool(stage.database.url, ROLES.system, connections);
  const inbox = await findSendingInbox(stage);
  const context = { company: stage.company, inbox, people };
  return {
    work: async () => {
      written += 1;
      const unit = written;
      const client = await pool.connect();
      try {
        await client.query('begin');
        await storeMessage((name, text, values) => client.query({ name, text, values }), context, unit);
        await client.query('commit');
      } catch (error) {
        // Failure policy: a failed statement ends the benchmark.
        await client.query('rollback');
        throw error;
      } finally {
        client.release();
      }
    },
    close: () => pool.end(),
  };
}

type RunQuery = (name: string, text: string, values: unknown[]) => Promise<pg.QueryResult<Record<string, string>>>;

async function storeMessage(
  query: RunQuery,
  { company, inbox, people }: { company: string; inbox: string; people: number },
  unit: number,
): Promise<void> {
  const phone = `55219${String(80_000_000 + (unit % people))}`;
  await query(
    'receiver',
    `select company_id, _id, default_agent, default_owner from inboxes where channel = 'WAP_AUTO_CLOSER' and network_address = $1 and status = 'ACTIVE'`,
    ['100000000000001'],
  );
  await query('known', 'select 1 from message_keys where company_id = $1 and key = message_key($2, $3)', [
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
    `with keyed as (insert into message_keys (company_id, key, message_id) values ($1, message_key($5, $7), $2))
      insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin, content_type, content, status, external_id, sent_at)
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
    `with made as (
        insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, body)
          select $1, $2, webhook_id, epoch, 'MESSAGE_RECEIVED', $3, $4 from event_listeners where company_id = $1 and event = 'MESSAGE_RECEIVED'
          returning company_id, seq, _id)
      ${QUEUE_MADE}`,
    [company, newId(), message, JSON.stringify({ event: 'MESSAGE_RECEIVED', data: { content: 'x'.repeat(800) } })],
  );
}

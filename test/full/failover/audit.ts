/** Compares what the database and the network have after failovers with what the company was told. */
import assert from 'node:assert/strict';
import type { Json } from '../../support/platform.ts';
import { waitUntil } from '../../support/wait.ts';
import { countAccepted, readAcceptedText } from '../harness/accepted.ts';
import type { FailoverRun } from './clients.ts';

export interface Audited {
  callbacks: number;
  contacts: number;
  texts: number;
  imported: number;
  bulk: number;
  campaign: number;
  deliveries: number;
  /** Sends and deliveries whose outcome nobody knows. */
  unknown: number;
}

const REST_MS = 120_000;

/** What still waits to be done, by its kind and state, and when the first and the last of it are due or were begun. */
const WORK = `select kind, state, count(*)::int as count, min(at)::text as first, max(at)::text as last, now()::text as now
  from (
    select 'delivery' as kind, 'QUEUED' as state, null::timestamptz as at from delivery_queue
    union all select 'delivery', 'SENDING', attempted_at from delivery_attempts
    union all select 'run ' || kind, status, coalesce(held_until, turn_at) from runs where finished_at is null
    union all select 'enrollment', status, next_run_at from campaign_enrollments where next_run_at is not null
    union all select 'campaign', status, coalesce(held_until, turn_at) from campaigns where not is_enrolled
    union all select 'bulk run', coalesce(held_by, 'not held'), coalesce(held_until, updated_at) from bulk_runs where completed_at is null
  ) w group by kind, state order by kind, state`;

/** Waits until nothing is left to be done. Throws what is left when nothing has been done for a while: a campaign may take any time. */
async function waitForRest({ sql }: FailoverRun['stage']['store']): Promise<void> {
  let counts = '';
  let changedMs = performance.now();
  await waitUntil('all work to end', async () => {
    const left = await sql<{ count: number }>(WORK);
    const nowMs = performance.now();
    const now = left.map(({ count }) => count).join();
    if (now !== counts) changedMs = nowMs;
    counts = now;
    assert.ok(
      nowMs - changedMs < REST_MS,
      `nothing was done for ${REST_MS} ms of what is left: ${JSON.stringify(left)}`,
    );
    return left.length === 0;
  });
}

/** Waits until all work is done, and compares. */
export async function audit(run: FailoverRun): Promise<Audited> {
  const { sql } = run.stage.store;
  await waitForRest(run.stage.store);
  await assertNothingTwice(run);
  const unknownTexts = await auditTexts(run);
  const { callbacks, contacts, imports } = run.acknowledged;
  const deliveries = await auditDeliveries(run);
  const bulk = auditBulk(run);
  const campaign = await auditCampaign(run);
  await assertStored(run, callbacks, 'select external_id as name from messages');
  await assertStored(run, contacts, 'select name from contacts');
  await auditImports(run);
  const set = await sql('select 1 from unreadable_items union all select 1 from callbacks_aside');
  assert.equal(set.length, 0, 'a sound callback was set aside');
  return {
    callbacks: callbacks.size,
    contacts: contacts.size,
    texts: run.acknowledged.texts.size,
    imported: [...imports.values()].reduce((sum, rows) => sum + rows, 0),
    bulk: bulk.sent,
    campaign: campaign.sent,
    deliveries: deliveries.delivered,
    unknown: unknownTexts + deliveries.unknown + bulk.unknown + campaign.unknown,
  };
}

async function assertStored({ stage }: FailoverRun, names: Set<string>, text: string): Promise<void> {
  const stored = new Set((await stage.store.sql<{ name: string }>(text)).map(({ name }) => name));
  assert.deepEqual(
    [...names].filter((name) => !stored.has(name)),
    [],
    'an acknowledged change was lost',
  );
}

/** Each statement returns what exists twice. Nobody closes a conversation here, so a contact has one in an inbox. */
const TWICE = {
  message: `select external_id as what from messages where external_id is not null group by 1 having count(*) > 1`,
  text: `select content as what from messages where message_type = 'OUTGOING' and content like 'Text %' group by 1 having count(*) > 1`,
  contact: `select name as what from contacts where name like 'Contact %' group by 1 having count(*) > 1`,
  number: `select phone_number as what from contacts where phone_number is not null group by 1 having count(*) > 1`,
  email: `select email as what from contacts where email is not null group by 1 having count(*) > 1`,
  conversation: `select contact_id as what from conversations group by inbox_id, contact_id having count(*) > 1`,
  event: `select event || ' ' || resource_id as what from deliveries group by 1 having count(*) > 1`,
  bulk: `select phone as what from bulk_rows group by 1 having count(*) > 1`,
};

async function assertNothingTwice({ stage, receiver }: FailoverRun): Promise<void> {
  for (const [kind, text] of Object.entries(TWICE))
    assert.deepEqual(await stage.store.sql(text), [], `a ${kind} exists twice`);
  const received = [...receiver.counts].filter(([, count]) => count > 1);
  assert.deepEqual(received, [], 'a delivery was received twice');
  // Bulk runs and the campaign send one template to each number, and the text of each other message is unique.
  const accepted = await countAccepted(stage, (message) => readAcceptedText(message) || (message.to as string));
  assert.deepEqual(
    [...accepted].filter(([, count]) => count > 1),
    [],
    'the network got a message twice',
  );
}

/** Returns how many texts have an unknown outcome. */
async function auditTexts({ stage, acknowledged }: FailoverRun): Promise<number> {
  const rows = await stage.store.sql<{ content: string; status: string }>(
    `select content, status from messages where message_type = 'OUTGOING' and content like 'Text %'`,
  );
  const stored = new Map(rows.map(({ content, status }) => [content, status]));
  const accepted = await countAccepted(stage, readAcceptedText);
  for (const [text, status] of acknowledged.texts) {
    assert.ok(stored.has(text), `${text} was answered and lost`);
    assert.notEqual(stored.get(text), 'FAILED', `${text} failed`);
    if (status !== 'QUEUED') assert.ok(accepted.has(text), `${text} was answered ${status}, and never left`);
  }
  return rows.filter(({ content, status }) => status === 'QUEUED' && !accepted.has(content)).length;
}

async function auditDeliveries({ stage, receiver }: FailoverRun): Promise<{ delivered: number; unknown: number }> {
  const rows = await stage.store.sql<{ status: string; resource: string; error: string }>(
    'select status, resource_id as resource, error from deliveries',
  );
  const failed = rows.filter(({ status }) => status === 'FAILED');
  assert.deepEqual(failed, [], 'a delivery failed');
  const delivered = rows.filter(({ status }) => status === 'DELIVERED');
  const missing = delivered.filter(({ resource }) => !receiver.counts.has(resource));
  assert.deepEqual(missing, [], 'a delivery is DELIVERED, and was not received');
  const silent = await stage.store.sql(
    `select m._id from messages m where m.status = 'RECEIVED' and not exists (
      select from deliveries d where d.company_id = m.company_id and d.resource_id = m._id and d.event = 'MESSAGE_RECEIVED')`,
  );
  assert.deepEqual(silent, [], 'a message without its event');
  return { delivered: delivered.length, unknown: rows.length - delivered.length };
}

function auditBulk({ acknowledged }: FailoverRun): { sent: number; unknown: number } {
  const errors = acknowledged.bulkRuns.flatMap((run: Json) => run.errors as Json[]);
  const wrong = errors.filter(({ code }) => code !== 'OUTCOME_UNKNOWN');
  assert.deepEqual(wrong, [], 'a bulk item failed');
  return { sent: acknowledged.bulkRuns.reduce((sum, run) => sum + run.sentCount, 0), unknown: errors.length };
}

async function auditCampaign({ stage }: FailoverRun): Promise<{ sent: number; unknown: number }> {
  const rows = await stage.store.sql<{ status: string; message: string | null }>(
    `select e.status, m.status as message from campaign_enrollments e left join messages m on m._id = e.message_id`,
  );
  const wrong = rows.filter(({ status }) => ['FAILED', 'SKIPPED'].includes(status));
  assert.deepEqual(wrong, [], 'a campaign item failed');
  const unknown = rows.filter(({ message }) => message === null || message === 'QUEUED').length;
  return { sent: rows.length - unknown, unknown };
}

async function auditImports({ stage, acknowledged }: FailoverRun): Promise<void> {
  const rows = await stage.store.sql<{ _id: string; status: string; created: number; failed: number }>(
    'select _id, status, created_count as created, failed_count as failed from runs',
  );
  const stored = new Map(rows.map(({ _id, ...rest }) => [_id, rest]));
  for (const [id, created] of acknowledged.imports)
    assert.deepEqual(stored.get(id), { status: 'COMPLETED', created, failed: 0 }, `the import ${id}`);
}

/**
 * Every statement that walks over a company's records, or over old ones, reads little more than its portion, even when the planner has no
 * statistics: on tables that were never analysed, and on tables that were analysed while they were empty.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { countAutomatic, listReplies } from '../../src/features/agents/turns/program-queries.ts';
import { FOLLOW_UP_QUEUE } from '../../src/features/agents/follow-ups/source.ts';
import { CSAT_QUEUE } from '../../src/features/csat/source.ts';
import { AWAY_QUEUE } from '../../src/features/away-texts/source.ts';
import { SCHEDULED_QUEUE } from '../../src/features/scheduled-messages/source.ts';
import { claimDue, restDue, takeUnsettledDue } from '../../src/features/sends/due/queue-queries.ts';
import {
  claimTurns,
  deleteOldConversationBudgets,
  restTurns,
  takeUnsettled,
  TURN_QUEUE,
} from '../../src/features/agents/turns/queue-queries.ts';
import { addUpChanges, CAMPAIGN_QUEUE, claimCampaigns } from '../../src/features/campaigns/turn-queries.ts';
import { eraseMessages, unlinkRows } from '../../src/features/contacts/erase-queries.ts';
import { walkContacts } from '../../src/features/contacts/import/queries.ts';
import { updateContacts, type StoredPerson } from '../../src/features/contacts/queries.ts';
import { stripValues } from '../../src/features/custom-fields/queries.ts';
import {
  isBusinessNamed,
  isUserNamed,
  removeUserFromBusinesses,
  removeFromContacts,
  removeUserFromConversations,
  removeUserFromInboxes,
  removeBusinessFromRows,
} from '../../src/features/departures/queries.ts';
import { addUpUsageChanges } from '../../src/features/companies/queries.ts';
import { deleteOldAudit } from '../../src/features/audit/queries.ts';
import { IMPORTS } from '../../src/features/imports/imports.ts';
import { claimDownloads, requeueDue as requeueDownloads } from '../../src/features/inbound/downloads/queries.ts';
import { claimInboxes, requeueDue as requeueFetches } from '../../src/features/inbound/fetching/queries.ts';
import { claimItems, KNOWLEDGE_QUEUE } from '../../src/features/knowledge/turn-queries.ts';
import { claimCatalogues, COPY_QUEUE } from '../../src/features/templates/copy-queries.ts';
import { openLeases, type LeasedTable } from '../../src/platform/work/claims/leases.ts';
import { claimRuns, listForgottenRuns, runQueue } from '../../src/platform/work/runs/queries.ts';
import { deleteOldAsides } from '../../src/features/inbound/queries.ts';
import { moveThreadMessages } from '../../src/features/merges/conversations/queries.ts';
import { moveMessages, moveRows } from '../../src/features/merges/queries.ts';
import { findCrossed } from '../../src/features/messages/ingest-parked-queries.ts';
import { failUnknown } from '../../src/features/messages/ingest-failure-queries.ts';
import { deleteParked } from '../../src/features/messages/ingest-queries.ts';
import { findUsedSteps, moveConversations } from '../../src/features/pipelines/step-queries.ts';
import { walkRows } from '../../src/features/tables/rows/export-queries.ts';
import { eraseRows, listPortion, rewriteRows } from '../../src/features/tables/rows/queries.ts';
import { purgeLinks } from '../../src/features/users/link-queries.ts';
import { purgeSessions } from '../../src/features/users/session-queries.ts';
import {
  claimDeliveries,
  deleteOldDeliveries,
  recordOutcomes,
  sweepInterrupted,
} from '../../src/features/webhooks/delivery-queries.ts';
import { type Statement } from '../../src/platform/store/db.ts';
import { ROLES } from '../../src/platform/store/roles.ts';
import { purgeAttempts } from '../../src/platform/http/idempotency.ts';
import { purgeBuckets } from '../../src/platform/http/limits.ts';
import { COMPANY, COUNT, makeId, NAMED, openBulk, WAITING } from '../support/bulk.ts';
import { connectAs, type TestDatabase } from '../support/database.ts';
import type { Json } from '../support/platform.ts';

const LIMIT = 500;
// The most rows that a portion may read: its own, once to find and once to change them, for each of two possible plans.
const MOST_ROWS = 5 * LIMIT;
// The most pages for each row: of the table and, when it is changed, of all its indexes.
const MOST_BUFFERS = 60;

interface Walk {
  role: string;
  /** The tables of which the walk may read only a little. */
  walked: string[];
  walk(tx: never): Promise<unknown>;
  most?: number;
  /** The rows that the walk reads, where the number is known. */
  exactly?: number;
}

const MIDDLE = makeId(COUNT / 2);
const PLACE = { createdAt: new Date(Date.now() - 3_000 * 86_400_000 + (COUNT / 2) * 1_000).toISOString(), id: MIDDLE };
const MATCH = { ids: null, search: null, filters: [] } as never;

const PEOPLE = Array.from({ length: LIMIT }, (_, n) => {
  const person = { name: 'Ana', tags: [], opted_out: false, blocked: false, held: {} };
  return { ...person, _id: makeId(n + 1) } as unknown as StoredPerson;
});

const { app, read, system } = ROLES;
const WALKS: Record<string, Walk> = {
  'the export of contacts, its beginning': {
    role: app,
    walked: ['contacts'],
    walk: (tx) => walkContacts(tx, MATCH, null, LIMIT),
  },
  'the export of contacts': { role: app, walked: ['contacts'], walk: (tx) => walkContacts(tx, MATCH, PLACE, LIMIT) },
  'the contacts that an import changes': {
    role: app,
    walked: ['contacts'],
    walk: (tx) => updateContacts(tx, PEOPLE),
  },
  'the export of rows': { role: app, walked: ['table_rows'], walk: (tx) => walkRows(tx, NAMED, COUNT / 2, LIMIT) },
  'changes of columns': { role: app, walked: ['table_rows'], walk: (tx) => listPortion(tx, NAMED, COUNT / 2, LIMIT) },
  'the rows that a change of columns writes': {
    role: app,
    walked: ['table_rows'],
    walk: (tx) =>
      rewriteRows(
        tx,
        NAMED,
        Array.from({ length: LIMIT }, (_, n) => ({ _id: makeId(3 * n + 1), data: {} })),
      ),
  },
  'the rows of a removed table': {
    role: app,
    walked: ['table_rows'],
    walk: (tx) => eraseRows(tx, NAMED, { after: COUNT / 2, limit: LIMIT }),
  },
  ...Object.fromEntries(
    (['contact', 'conversation', 'business'] as const).map((context) => [
      `a removed field of a ${context}`,
      {
        role: app,
        walked: ['contacts', 'conversations', 'businesses'],
        walk: (tx) => stripValues(tx, { context, field: NAMED, after: MIDDLE, limit: LIMIT }),
      } satisfies Walk,
    ]),
  ),
  'the messages of an erased contact': {
    role: app,
    walked: ['messages', 'conversations'],
    walk: (tx) => eraseMessages(tx, NAMED, LIMIT),
  },
  'the rows of an erased contact': { role: app, walked: ['table_rows'], walk: (tx) => unlinkRows(tx, NAMED, LIMIT) },
  'the messages of a merged contact': {
    role: app,
    walked: ['messages', 'conversations'],
    walk: (tx) => moveMessages(tx, { from: NAMED, to: makeId(2) }, LIMIT),
  },
  'the messages of a merged conversation': {
    role: app,
    walked: ['messages'],
    walk: (tx) => moveThreadMessages(tx, { from: NAMED, to: makeId(2) }, LIMIT),
  },
  'the rows of a merged contact': {
    role: app,
    walked: ['table_rows'],
    walk: (tx) => moveRows(tx, { from: NAMED, to: makeId(2) }, LIMIT),
  },
  'the conversations of a removed user': {
    role: app,
    walked: ['conversations'],
    walk: (tx) => removeUserFromConversations(tx, NAMED, LIMIT),
  },
  'the contacts of a removed user': {
    role: app,
    walked: ['contacts'],
    walk: (tx) => removeFromContacts(tx, 'users', NAMED, LIMIT),
  },
  'the contacts of a removed business': {
    role: app,
    walked: ['contacts'],
    walk: (tx) => removeFromContacts(tx, 'businesses', NAMED, LIMIT),
  },
  'the businesses of a removed user': {
    role: app,
    walked: ['businesses'],
    walk: (tx) => removeUserFromBusinesses(tx, NAMED, LIMIT),
  },
  'the rows of a removed business': {
    role: app,
    walked: ['table_rows'],
    walk: (tx) => removeBusinessFromRows(tx, NAMED, LIMIT),
  },
  'the inboxes of a removed user': {
    role: app,
    walked: ['inboxes'],
    walk: (tx) => removeUserFromInboxes(tx, NAMED),
    most: COUNT,
  },
  'what still names a removed user': {
    role: app,
    walked: ['contacts', 'conversations', 'businesses', 'inboxes'],
    walk: (tx) => isUserNamed(tx, makeId(3)),
    most: 10,
  },
  'what still names a removed business': {
    role: app,
    walked: ['contacts', 'table_rows'],
    walk: (tx) => isBusinessNamed(tx, makeId(3)),
    most: 10,
  },
  'the conversations of a removed step': {
    role: app,
    walked: ['conversations'],
    walk: (tx) =>
      moveConversations(
        tx,
        { step: { _id: NAMED }, replacement: { _id: makeId(2), pipeline: makeId(3) } } as never,
        LIMIT,
      ),
  },
  'whether a step is in use': {
    role: app,
    walked: ['conversations'],
    walk: (tx) => findUsedSteps(tx, [NAMED]),
    most: 10,
  },
  'what agents have written to a contact': {
    role: read,
    walked: ['conversations', 'messages'],
    walk: (tx) => countAutomatic(tx, { conversation: NAMED, contact: NAMED }, { seconds: 600, limit: 200 }),
    most: 300,
  },
  'the replies of a contact': {
    role: read,
    walked: ['messages'],
    walk: (tx) => listReplies(tx, NAMED, { replies: 16, messages: 100 }),
    most: 100,
  },
  'the old audit': {
    role: system,
    walked: ['audit_log'],
    walk: (tx) => deleteOldAudit(tx, 365, 'rest', { from: 0, to: 50 }),
    most: 5_000,
  },
  'old Idempotency-Keys': { role: system, walked: ['idempotency_keys'], walk: (tx) => purgeAttempts(tx, LIMIT) },
  'full buckets': { role: system, walked: ['rate_buckets'], walk: purgeBuckets, most: 4 * 10_000 },
  'old callbacks aside': {
    role: system,
    walked: ['callbacks_aside'],
    walk: (tx) => deleteOldAsides(tx, 14),
    most: 5_000,
  },
  'old parked updates': { role: system, walked: ['parked_updates'], walk: (tx) => deleteParked(tx, 14), most: 5_000 },
  'parked updates that crossed their message': {
    role: system,
    walked: ['parked_updates', 'messages'],
    walk: (tx) => findCrossed(tx, 5),
    most: 10,
  },
  'unknown outcomes': {
    role: system,
    walked: ['messages', 'message_activity'],
    walk: (tx) => failUnknown(tx, []),
    most: 5_000,
  },
  'changes of what companies store': {
    role: system,
    walked: ['stored_changes'],
    walk: (tx) => addUpUsageChanges(tx, LIMIT),
  },
  'forgotten imports': { role: system, walked: ['runs'], walk: (tx) => listForgottenRuns(tx, IMPORTS, LIMIT) },
  'expired sessions': { role: system, walked: ['browser_sessions'], walk: purgeSessions, most: 2 * COUNT },
  'expired links': { role: system, walked: ['password_tokens'], walk: purgeLinks, most: 2 * COUNT },
  'old deliveries': {
    role: system,
    walked: ['deliveries'],
    walk: (tx) => deleteOldDeliveries(tx, 14, 'rest', { from: 0, to: 50 }),
    most: 5_000,
  },
};

const CAPACITY = { slots: 64, first: 64, free: new Map<string, number>(), after: '' };
/** Rows that a worker holds, by their keys; somebody else has claimed them since. */
const HELD = Array.from({ length: WAITING }, (_, n) => {
  const now = new Date().toISOString();
  const row = { company: COMPANY, _id: makeId(n + 1), claimed_at: now, attempted_at: now, pause_seconds: 1 };
  const answer = { response_status: null, response_ms: 1, response_body: null, error: null };
  return { ...row, ...answer, status: 'DELIVERED', attempts: 0, overtaken: 0 } as never;
});

/** The statements of a queue, by what they do, and how many rows of its table they read. */
const queueWalks = (
  table: string,
  statements: Record<string, [walk: Walk['walk'], exactly: number]>,
): Record<string, Walk> =>
  Object.fromEntries(
    Object.entries(statements).map(([name, [walk, exactly]]) => [
      `${name} of ${table}`,
      { role: system, walked: [table], walk, most: exactly, exactly },
    ]),
  );

/** The walk over two companies reads one row of each; each row that waits is read once to lock it, and once by its key to change it. */
const CLAIMED = 2 + 2 * WAITING;
/** Each row that is due is read once to lock it, and once by its key to change it. */
const TAKEN = 2 * WAITING;

const leased = (queue: LeasedTable): Record<string, [walk: Walk['walk'], exactly: number]> => ({
  'what returns to the queue': [(tx) => openLeases(tx, queue).requeue(), TAKEN],
  'what a worker still holds': [(tx) => openLeases(tx, queue).renew(HELD), WAITING],
});

const dueWalks = (queue: LeasedTable): Record<string, [walk: Walk['walk'], exactly: number]> => ({
  'what waits': [(tx) => claimDue(tx, queue, CAPACITY), CLAIMED],
  'what rests': [(tx) => restDue(tx, queue, HELD), WAITING],
  'what is unsettled': [(tx) => takeUnsettledDue(tx, queue, 60), TAKEN],
  ...leased(queue),
});

const QUEUE_WALKS: Record<string, Walk> = {
  ...queueWalks('runs', {
    'what waits': [(tx) => claimRuns(tx, IMPORTS, CAPACITY), CLAIMED],
    ...leased(runQueue(IMPORTS)),
  }),
  ...queueWalks('follow_ups', dueWalks(FOLLOW_UP_QUEUE)),
  ...queueWalks('scheduled_messages', dueWalks(SCHEDULED_QUEUE)),
  ...queueWalks('away_texts', dueWalks(AWAY_QUEUE)),
  ...queueWalks('csat_surveys', dueWalks(CSAT_QUEUE)),
  ...queueWalks('pending_turns', {
    'what waits': [(tx) => claimTurns(tx, CAPACITY), CLAIMED],
    'what rests': [(tx) => restTurns(tx, HELD), WAITING],
    ...leased(TURN_QUEUE),
  }),
  ...queueWalks('agent_turns', { 'what is unsettled': [(tx) => takeUnsettled(tx, 60), TAKEN] }),
  ...queueWalks('agent_conversation_budgets', {
    'what is old': [(tx) => deleteOldConversationBudgets(tx, { days: 30, most: LIMIT }), TAKEN],
  }),
  ...queueWalks('campaigns', {
    'what waits': [(tx) => claimCampaigns(tx, CAPACITY), CLAIMED],
    ...leased(CAMPAIGN_QUEUE),
  }),
  ...queueWalks('campaign_changes', { 'what is added up': [(tx) => addUpChanges(tx, LIMIT), 2 * LIMIT] }),
  ...queueWalks('knowledge_items', {
    'what waits': [(tx) => claimItems(tx, CAPACITY), CLAIMED],
    ...leased(KNOWLEDGE_QUEUE),
  }),
  ...queueWalks('template_catalogues', {
    'what waits': [(tx) => claimCatalogues(tx, CAPACITY), CLAIMED],
    ...leased(COPY_QUEUE),
  }),
  ...queueWalks('inbox_fetches', {
    'what waits': [(tx) => claimInboxes(tx, CAPACITY, 60), CLAIMED],
    'what returns to the queue': [(tx) => requeueFetches(tx, LIMIT), TAKEN],
  }),
  ...queueWalks('media_downloads', {
    'what waits': [(tx) => claimDownloads(tx, CAPACITY, 60), CLAIMED],
    'what returns to the queue': [(tx) => requeueDownloads(tx, LIMIT), TAKEN],
  }),
  ...queueWalks('messages', { 'what is downloaded': [(tx) => claimDownloads(tx, CAPACITY, 60), WAITING] }),
  ...queueWalks('delivery_queue', {
    'what waits': [(tx) => claimDeliveries(tx, CAPACITY, 86_400_000), 2 + 2 * CAPACITY.slots],
  }),
  ...queueWalks('delivery_attempts', { 'what has ended': [(tx) => recordOutcomes(tx, HELD), WAITING] }),
  ...queueWalks('deliveries', {
    // No webhook has these, so each is read to judge it, and once more to end it.
    'what is claimed': [(tx) => claimDeliveries(tx, CAPACITY, 86_400_000), 2 * CAPACITY.slots],
    'what has ended': [(tx) => recordOutcomes(tx, HELD), WAITING],
    'what was interrupted': [(tx) => sweepInterrupted(tx, 15), TAKEN],
  }),
};

interface Looked {
  rows: number;
  buffers: number;
  scans: string[];
}

function lookInto(node: Json, walked: string[], looked: Looked): void {
  // The table of a partition.
  const table = String(node['Relation Name'] ?? '').replace(/_(?:rest|\d{8})$/, '');
  const isScan = /Scan/.test(node['Node Type']);
  if (isScan && (walked.includes(table) || node['Node Type'] === 'Bitmap Index Scan')) {
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
    looked.rows += (node['Actual Rows'] + removed) * node['Actual Loops'];
    looked.scans.push(
      `${node['Node Type']} ${node['Index Name'] ?? table} ${(node['Actual Rows'] + removed) * node['Actual Loops']}`,
    );
  }
  for (const inner of node.Plans ?? []) lookInto(inner, walked, looked);
}

const literal = (value: unknown): string => {
  if (value === null) return 'null';
  const text = Array.isArray(value)
    ? `{${value.map((item) => JSON.stringify(item)).join(',')}}`
    : String(value as string | number);
  return pg.escapeLiteral(text);
};

/** Runs a walk in a transaction that is rolled back, and returns what each of its statements has looked at. */
async function explain(client: pg.Client, { walked, walk }: Walk, mode: string, isPrepared = false): Promise<Looked[]> {
  const all: Looked[] = [];
  const run = async ({ name, text, values }: Statement): Promise<Json[]> => {
    if (!isPrepared) await client.query(`deallocate all; prepare "${name}" as ${text}`);
    const given = values.length > 0 ? `(${values.map(literal).join(', ')})` : '';
    const { rows } = await client.query(`explain (analyze, buffers, format json) execute "${name}"${given}`);
    const { Plan: plan } = rows[0]['QUERY PLAN'][0];
    const looked: Looked = { rows: 0, buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], scans: [] };
    lookInto(plan, walked, looked);
    all.push(looked);
    return [{ looked: 0, last: null, named: false }];
  };
  const tx = { companyId: COMPANY, query: run, execute: async (statement: Statement) => (await run(statement)).length };
  await client.query(`begin; set local app.company_id = '${COMPANY}'; set local plan_cache_mode = force_${mode}_plan`);
  await walk(tx as never);
  await client.query('rollback');
  return all;
}

/** Explains a walk once planned for its values, and once planned for any values. */
async function look(database: TestDatabase, walk: Walk): Promise<Looked[]> {
  const client = await connectAs(walk.role, database);
  try {
    return [...(await explain(client, walk, 'custom')), ...(await explain(client, walk, 'generic'))];
  } finally {
    await client.end();
  }
}

const STATES = [
  ['that was never analysed by the planner', await openBulk(false)],
  ['that the planner analysed while it was empty', await openBulk(true)],
] as const;

/** What a vacuum notes of a table whose rows were all deleted and whose pages remain; thousands of rows have come since. */
const emptied = await openBulk(false);
await emptied.sql(
  `update pg_class set reltuples = 0, relpages = pg_relation_size(oid) / 8192 where relkind = 'r' and relnamespace = 'public'::regnamespace`,
);

// The other indexes of other queues also look like the key then, until refresh_statistics() has seen the new rows.
const EMPTIED = ['pending_turns', 'campaign_changes', 'delivery_queue', 'delivery_attempts'];
for (const [name, walk] of Object.entries(QUEUE_WALKS).filter(([, { walked }]) => EMPTIED.includes(walked[0] ?? ''))) {
  test(`the statement for ${name} looks up the rows that it has picked by their key, also when the planner believes that there are none`, async () => {
    for (const { rows, scans } of await look(emptied, walk)) assert.equal(rows, walk.exactly, scans.join(', '));
  });
}

for (const [state, database] of STATES) {
  for (const [name, walk] of Object.entries({ ...WALKS, ...QUEUE_WALKS })) {
    test(`the statement for ${name} reads little more than one portion of a table ${state}`, async () => {
      for (const { rows, buffers, scans } of await look(database, walk)) {
        assert.ok(rows <= (walk.most ?? MOST_ROWS), `${rows} rows were read: ${scans.join(', ')}`);
        assert.equal(rows, walk.exactly ?? rows, scans.join(', '));
        assert.ok(buffers <= MOST_BUFFERS * (walk.most ?? LIMIT), `${buffers} pages were read: ${scans.join(', ')}`);
      }
    });
  }
}

/** The sessions of workers that have prepared each statement while its tables had no rows; it keeps the plan from then. */
const early = new Map<Walk, pg.Client>();
await openBulk(false, async (database) => {
  for (const walk of Object.values(QUEUE_WALKS)) {
    const client = await connectAs(walk.role, database);
    early.set(walk, client);
    await explain(client, walk, 'generic');
  }
});
for (const [name, walk] of Object.entries(QUEUE_WALKS)) {
  test(`the statement for ${name} reads little more than one portion, also when it was prepared before the table had rows`, async () => {
    const client = early.get(walk)!;
    const looked = await explain(client, walk, 'generic', true);
    await client.end();
    for (const { rows, scans } of looked) assert.equal(rows, walk.exactly, scans.join(', '));
  });
}

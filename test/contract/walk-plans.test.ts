/**
 * Every statement that walks over a company's records, or over old ones, reads little more than its portion, even when the planner has no
 * statistics: on tables that were never analysed, and on tables that were analysed while they were empty.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { countAutomatic, listReplies } from '../../src/features/agents/turns/program-queries.ts';
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
import { listForgottenRuns } from '../../src/platform/work/runs/queries.ts';
import { deleteOldAsides } from '../../src/features/inbound/queries.ts';
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
  allowBitmaps,
  claimDeliveries,
  deleteOldDeliveries,
  sweepInterrupted,
} from '../../src/features/webhooks/delivery-queries.ts';
import { ROLES, type Statement } from '../../src/platform/store/db.ts';
import { purgeAttempts } from '../../src/platform/http/idempotency.ts';
import { purgeBuckets } from '../../src/platform/http/limits.ts';
import { COMPANY, COUNT, makeId, NAMED, openBulk } from '../support/bulk.ts';
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
    walk: (tx) => deleteOldAudit(tx, 365, { from: 0, to: 50 }),
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
    walk: (tx) => deleteOldDeliveries(tx, 14, { from: 0, to: 50 }),
    most: 5_000,
  },
  'interrupted deliveries': {
    role: system,
    walked: ['deliveries'],
    walk: async (tx) => {
      await allowBitmaps(tx);
      await sweepInterrupted(tx, 15, null);
    },
  },
  'waiting deliveries': {
    role: system,
    walked: ['deliveries'],
    walk: (tx) => claimDeliveries(tx, { slots: 64, first: 8, free: new Map(), after: '' }, 86_400_000),
    most: 1_000,
  },
};

interface Looked {
  rows: number;
  buffers: number;
  scans: string[];
}

function lookInto(node: Json, walked: string[], looked: Looked): void {
  const table: string = node['Relation Name'] ?? '';
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

/** Runs a walk in a transaction that is rolled back: once planned for its values, and once planned for any values. */
async function look(database: TestDatabase, { role, walked, walk }: Walk): Promise<Looked[]> {
  const client = await connectAs(role, database);
  const all: Looked[] = [];
  const run = async ({ name, text, values }: Statement): Promise<Json[]> => {
    await client.query(`deallocate all; prepare "${name}" as ${text}`);
    const given = values.length > 0 ? `(${values.map(literal).join(', ')})` : '';
    const { rows } = await client.query(`explain (analyze, buffers, format json) execute "${name}"${given}`);
    const { Plan: plan } = rows[0]['QUERY PLAN'][0];
    const looked: Looked = { rows: 0, buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], scans: [] };
    lookInto(plan, walked, looked);
    all.push(looked);
    return [{ looked: 0, last: null, named: false }];
  };
  const tx = { companyId: COMPANY, query: run, execute: async (statement: Statement) => (await run(statement)).length };
  try {
    for (const mode of ['custom', 'generic']) {
      await client.query(
        `begin; set local app.company_id = '${COMPANY}'; set local plan_cache_mode = force_${mode}_plan`,
      );
      await walk(tx as never);
      await client.query('rollback');
    }
  } finally {
    await client.end();
  }
  return all;
}

const STATES = [
  ['that was never analysed by the planner', await openBulk(false)],
  ['that the planner analysed while it was empty', await openBulk(true)],
] as const;

for (const [state, database] of STATES) {
  for (const [name, walk] of Object.entries(WALKS)) {
    test(`the statement for ${name} reads little more than one portion of a table ${state}`, async () => {
      for (const { rows, buffers, scans } of await look(database, walk)) {
        assert.ok(rows <= (walk.most ?? MOST_ROWS), `${rows} rows were read: ${scans.join(', ')}`);
        assert.ok(buffers <= MOST_BUFFERS * (walk.most ?? LIMIT), `${buffers} pages were read: ${scans.join(', ')}`);
      }
    });
  }
}

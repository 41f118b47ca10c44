/** Limits on how many records of a kind a company has, when several requests add one at the same moment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { insertConversations, insertInbox, RUNS } from '../support/conversation-runs.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const { call, database, globalKey } = platform;
const { _id: company, key } = await platform.createCompany();
const inbox = await insertInbox(platform, company);
const ids = await insertConversations(platform, { company, inbox }, 1);
await call(200, 'PATCH', `/v1/companies/${company}`, { key: globalKey, body: { client_mcp_servers_enabled: true } });

/** What adds a record of each kind whose number is limited. The company has no other records of these kinds, except for its pipeline. */
const LIMITED: { table: string; path: string; body: (n: number) => Json }[] = [
  { table: 'agents', path: '/v1/agents', body: () => ({ name: 'a', type: 'AI' }) },
  { table: 'mcp_servers', path: '/v1/agents/mcp-servers', body: () => ({ name: 'a', url: 'http://127.0.0.1:9/mcp' }) },
  { table: 'quick_replies', path: '/v1/quick-replies', body: (n) => ({ title: 'a', shortcut: `a${n}`, content: 'a' }) },
  { table: 'teams', path: '/v1/teams', body: (n) => ({ name: `a${n}` }) },
  { table: 'sla_policies', path: '/v1/sla-policies', body: () => ({ name: 'a', close_minutes: 60 }) },
  {
    table: 'business_hours',
    path: '/v1/business-hours',
    body: () => ({ name: 'a', time_zone: 'UTC', days: [{ day: 'MON', from: '09:00', to: '18:00' }] }),
  },
  { table: 'views', path: '/v1/views', body: (n) => ({ name: `a${n}`, is_shared: true, filters: {} }) },
  { table: 'pipelines', path: '/v1/pipelines', body: () => ({ name: 'a', steps: [{ name: 'a', kind: 'OPEN' }] }) },
  {
    table: 'custom_fields',
    path: '/v1/custom-fields',
    body: (n) => ({ title: 'a', slug: `a${n}`, context: 'contact', type: 'TEXT' }),
  },
  { table: 'runs', path: RUNS, body: () => ({ ids, change: { status: 'CLOSED' } }) },
];

for (const { table, path, body } of LIMITED) {
  test(`simultaneous requests that add ${table} check the limit one after the other`, async () => {
    const holder = new pg.Client({ connectionString: database.ownerUrl });
    await holder.connect();
    // Until the end of this transaction records can be read and locked, and none can be added.
    await holder.query(`begin; lock table ${table} in share mode`);
    const added = [1, 2, 3].map((n) => call(201, 'POST', path, { key, body: body(n) }));
    try {
      const kinds = await waitUntil('three requests to wait', async () => {
        const waiting = await database.sql<{ locktype: string }>(
          `select locktype from pg_locks where not granted and pid in (select pid from pg_stat_activity
            where datname = current_database() and usename = 'parley')`,
        );
        return waiting.length >= 3 && waiting.map(({ locktype }) => locktype);
      });
      assert.equal(
        kinds.filter((kind) => kind === 'relation').length,
        1,
        'one request has counted and adds its record',
      );
    } finally {
      await holder.end();
      await Promise.all(added);
    }
  });
}

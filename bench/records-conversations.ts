/** Benchmark (h): GET /v1/conversations with a million conversations in one company, for lists and searches that people request all day. */
import { Pool } from 'undici';
import { makeCursorAfter, pageWindow } from '../src/platform/store/paging.ts';
import type { TestDatabase } from '../test/support/database.ts';
import { fillTables } from './fill.ts';
import type { Figure } from './measure.ts';
import { seedPeople } from './people.ts';
import { spawnProgram, type BenchStage } from './stage.ts';

// Each contact has five conversations; for some contacts the newest conversation is open.
const CONTACTS = 200_000;
const EACH = 5;
const PEOPLE = 20;
// The number of rows that one statement inserts. It takes seconds, so that progress can be reported.
const PORTION = 50_000;
const ASKED = 200;

/** Runs the benchmark; a quick run passes a smaller number of contacts. */
export async function benchConversations(stage: BenchStage, contacts = CONTACTS): Promise<Figure[]> {
  const owners = await seedConversations(stage.database, stage.company, contacts);
  const api = await spawnProgram('src/launch.js', ['api'], stage.env);
  const pool = new Pool(api.url, { connections: 1, pipelining: 1 });
  const pick = <T>(items: readonly T[], index: number): T => items[index % items.length] as T;
  const statuses = ['OPEN', 'PENDING', 'SNOOZED', 'CLOSED'];
  // The first limit is promised in the documentation; the others are times that a person does not notice, or accepts once.
  const questions: [name: string, goalMs: number, query: (index: number) => string][] = [
    ['by status and owner', 40, (index) => `status=${pick(statuses, index)}&owner=${pick(owners, index)}`],
    [
      'by owner, page 2 by cursor',
      40,
      (index) => `owner=${pick(owners, index)}&after=${makeCursor(pick(owners, index), index)}`,
    ],
    ['newest first, no total', 40, (index) => `skipCount=true&limit=${20 + (index % 80)}`],
    ['by a rare name', 100, (index) => `search=${pick(['ezquiel', 'ubiratã', 'kubitschek'], index)}&skipCount=true`],
    ['by a frequent name', 100, (index) => `search=${pick(['silva', 'maria', 'souza'], index)}&skipCount=true`],
    ['by a frequent name, with the total', 1_000, (index) => `search=${pick(['silva', 'maria', 'souza'], index)}`],
    ['by digits of a number', 100, (index) => `search=${String(9_000 + index * 37)}&skipCount=true`],
  ];
  const figures: Figure[] = [];
  for (const [name, goalMs, query] of questions) {
    const times = await measureTimes(pool, stage.key, query);
    const [p50, p95] = [0.5, 0.95].map((part) => times[Math.floor(times.length * part)] ?? Number.NaN);
    figures.push({
      name: `(h) conversations ${name}`,
      value: `p95 ${p95?.toFixed(1)} ms (p50 ${p50?.toFixed(1)})`,
      goal: `<= ${goalMs} ms`,
      met: (p95 ?? Number.NaN) <= goalMs,
    });
  }
  await pool.close();
  await api.stop();
  return figures;
}

function makeCursor(owner: string, index: number): string {
  const query = { limit: 20, skipCount: false, sort: '-createdAt', owner } as const;
  const createdAt = new Date(Date.now() - index * 86_400_000).toISOString();
  return makeCursorAfter(pageWindow('conversations', query), { _id: 'f'.repeat(24), createdAt });
}

/** Sends the requests one after the other; returns the times in milliseconds, shortest first. */
async function measureTimes(pool: Pool, key: string, query: (index: number) => string): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < ASKED; index += 1) {
    const path = `/v1/conversations?${encodeURI(query(index))}`;
    const started = performance.now();
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path,
      headers: { authorization: `Bearer ${key}` },
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text}`);
    times.push(performance.now() - started);
  }
  return times.toSorted((a, b) => a - b);
}

/** Creates five conversations for each contact of a company with an inbox and a pipeline. Returns the ids of the owners. */
export async function seedConversations(
  database: Pick<TestDatabase, 'sql'>,
  company: string,
  contacts: number,
): Promise<string[]> {
  await seedPeople(database, { [company]: contacts });
  const users = await database.sql<{ _id: string }>(
    `insert into users (company_id, _id, name, email, role)
      select $1, new_id(), 'Bench ' || n, 'bench' || n || '@example.test', 'OPERATOR' from generate_series(1, ${PEOPLE}) n returning _id`,
    [company],
  );
  const owners = users.map((user) => user._id);
  await fillTables(database, ['conversations'], async () => {
    for (let from = 1; from <= contacts * EACH; from += PORTION) {
      const to = Math.min(from + PORTION - 1, contacts * EACH);
      await database.sql(CONVERSATIONS, [company, from, to, contacts, owners, contacts * (EACH - 1)]);
    }
  });
  await database.sql('vacuum analyze conversation_activity');
  return owners;
}

/**
 * Inserts random conversations: the first conversation of each contact, then the second of each, and so on. Of the last conversations two
 * in five are not closed.
 */
const CONVERSATIONS = `insert into conversations (company_id, _id, contact_id, inbox_id, channel, status, handled_by, owner_id,
    attendant_id, step_id, pipeline_id, tags, created_at, updated_at, last_message_at, closed_at)
  select $1, lpad(to_hex(n), 24, '0'), lpad(to_hex(1 + n % $4::bigint), 24, '0'), i._id, i.channel, s.status,
    ('{AI,HUMAN,NONE}'::text[])[1 + n % 3], ($5::text[])[1 + n % 23], ($5::text[])[1 + (n * 7) % 41], p.step, p.pipeline,
    case when n % 50 = 0 then '{vip}'::text[] else '{}'::text[] end, at, at, at,
    case when s.status = 'CLOSED' then now() end
  from generate_series($2::bigint, $3::bigint) n
    cross join lateral (select now() - interval '400 days' + n * interval '30 seconds' as at) made
    cross join (select _id, channel from inboxes where company_id = $1 order by channel = 'WAP_AUTO_CLOSER' desc limit 1) i
    cross join lateral (select case when n > $6::bigint and chance(n, 21) < 0.4
      then ('{OPEN,OPEN,PENDING,SNOOZED}'::text[])[1 + n % 4] else 'CLOSED' end as status) s
    left join (select s._id as step, s.pipeline_id as pipeline, s.position from pipeline_steps s
      where s.company_id = $1) p on p.position = n % 10`;

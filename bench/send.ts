/**
 * Benchmark (send): single texts to open conversations by POST /v1/messages/send-text, beside a bare loop that makes the same calls and writes
 * the same rows; and the CPU time of PostgreSQL for a send with its three statuses.
 */
import { Pool } from 'undici';
import { newId } from '../src/platform/values/ids.ts';
import { findServer, readCpuMs } from '../test/support/cpu.ts';
import { openBareSend, type OpenThread } from './bare-send.ts';
import { compareRates, makeRatioFigure, type Figure } from './measure.ts';
import { findSendingInbox, spawnProgram, type BenchStage, type SpawnedProgram } from './stage.ts';

const THREADS = 500;
const WIDTHS = [1, 16, 64];
const GOAL = 0.6;
const ROUND_MS = 4_000;
const ROUNDS = 3;
const TEXT = 'Bom dia! Seu pedido saiu para entrega e chega até as 18h de hoje.';
// So many texts show what PostgreSQL needs for one.
const WITH_STATUSES = 600;
const AT_ONCE = 16;
// Half of what PostgreSQL 18.4 took on two cores when this was first measured.
const GOAL_CPU_MS = 2.5;

export async function benchSend(stage: BenchStage): Promise<Figure[]> {
  const { sandbox, platform } = await startSending(stage);
  try {
    await stage.database.sql('delete from event_listeners');
    const threads = await openThreads(stage);
    await changeSandbox(sandbox.url, { status_delays_ms: { sent: null, delivered: null, read: null } });
    const figures: Figure[] = [];
    for (const width of WIDTHS) figures.push(await compare(stage, { platform, sandbox, threads, width }));
    const cpuMs = await measureStatuses(stage, platform, sandbox, threads);
    const statuses = {
      name: '(send) PostgreSQL for a text with three statuses',
      value: `${cpuMs.toFixed(2)} ms of CPU time`,
      goal: `<= ${GOAL_CPU_MS} ms`,
      met: cpuMs <= GOAL_CPU_MS,
    };
    return [...figures, statuses];
  } finally {
    await platform.stop();
    await sandbox.stop();
  }
}

/** Starts the platform with a sandbox as its network. */
export async function startSending(stage: BenchStage): Promise<{ sandbox: SpawnedProgram; platform: SpawnedProgram }> {
  const sandbox = await spawnProgram('sandbox/main.ts', [], { SANDBOX_OPEN: '1', SANDBOX_APP_SECRET: stage.appSecret });
  const env = { WAP_GRAPH_URL: sandbox.url, OUTBOUND_ALLOW: '127.0.0.0/8', NUMBER_THROUGHPUT: '100000' };
  return { sandbox, platform: await spawnProgram('src/launch.js', ['all'], { ...stage.env, ...env }) };
}

interface Sides {
  platform: SpawnedProgram;
  sandbox: SpawnedProgram;
  threads: OpenThread[];
  width: number;
}

async function compare(stage: BenchStage, { platform, sandbox, threads, width }: Sides): Promise<Figure> {
  const bare = await openBareSend(stage, sandbox.url, width);
  const own = openSender(platform.url, stage.key, width);
  const next = takeInTurn(threads);
  const rates = await compareRates(
    [
      { name: 'own', work: () => own.send(next()) },
      { name: 'bare', work: () => bare.send(next(), TEXT) },
    ],
    { width, durationMs: ROUND_MS, times: ROUNDS },
  );
  await bare.close();
  await own.close();
  const name = `(send) texts of ${width} ${width === 1 ? 'caller' : 'callers'} / bare loop`;
  return makeRatioFigure(name, rates.get('own') ?? 0, rates.get('bare') ?? 0, GOAL);
}

/** Returns PostgreSQL's CPU time in ms from the request until all three statuses are stored, for one text. */
export async function measureStatuses(
  { database, key, company }: BenchStage,
  platform: SpawnedProgram,
  sandbox: SpawnedProgram,
  threads: OpenThread[],
): Promise<number> {
  await changeSandbox(sandbox.url, {
    callback_url: `${platform.url}/hooks/wap`,
    status_delays_ms: { sent: 1, delivered: 20, read: 40 },
  });
  // The second in which the first of them can be stored.
  const first = newId().slice(0, 8);
  const countRead = async (): Promise<number> => {
    const text = `select count(*)::int as count from messages where company_id = $1 and _id >= $2 and status = 'READ'`;
    return (await database.sql<{ count: number }>(text, [company, first]))[0]?.count ?? 0;
  };
  const own = openSender(platform.url, key, AT_ONCE);
  const next = takeInTurn(threads);
  const server = await findServer(database);
  const before = readCpuMs(server);
  let left = WITH_STATUSES;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await own.send(next());
    }),
  );
  while ((await countRead()) < WITH_STATUSES) await new Promise((resolve) => setTimeout(resolve, 500));
  const cpuMs = (readCpuMs(server) - before) / WITH_STATUSES;
  await own.close();
  return cpuMs;
}

export function openSender(url: string, key: string, width: number) {
  const pool = new Pool(url, { connections: width, pipelining: 1 });
  return {
    async send({ conversation }: OpenThread): Promise<void> {
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: '/v1/messages/send-text',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ conversationId: conversation, message: { content: TEXT } }),
      });
      const text = await body.text();
      if (statusCode !== 201 || /"status":"(QUEUED|FAILED)"/.test(text))
        throw new Error(`a send answered ${statusCode} ${text}`);
    },
    close: () => pool.close(),
  };
}

/** Returns a function that returns the next item at each call. */
export function takeInTurn<T>(items: T[]): () => T {
  let taken = 0;
  return () => items[taken++ % items.length] as T;
}

/** Conversations whose contacts have written within the last day. */
export async function openThreads(stage: BenchStage): Promise<OpenThread[]> {
  const inbox = await findSendingInbox(stage);
  return stage.database.sql<OpenThread>(
    `with n as (
        select 'e' || lpad(to_hex(n), 23, '0') as _id, (5511970000000 + n)::text as phone from generate_series(1, $3::int) n
      ), c as (
        insert into contacts (company_id, _id, name, phone_number, country_code, source)
          select $1, _id, 'Bench', '+' || phone, 'BR', 'API' from n
      ), i as (
        insert into contact_identities (company_id, kind, value, contact_id, address) select $1, 'PHONE', phone, _id, phone from n
      ), v as (
        insert into conversations (company_id, _id, contact_id, inbox_id, channel, handled_by, last_inbound_at, window_expires_at)
          select $1, _id, _id, $2, 'WAP_AUTO_CLOSER', 'NONE', now(), now() + interval '1 day' from n
      ) select _id as conversation, _id as contact, phone from n`,
    [stage.company, inbox, THREADS],
  );
}

export async function changeSandbox(url: string, change: object): Promise<void> {
  const response = await fetch(`${url}/sandbox/settings`, { method: 'PUT', body: JSON.stringify(change) });
  if (!response.ok) throw new Error(`the sandbox answered ${response.status}`);
}

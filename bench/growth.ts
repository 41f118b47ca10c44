/**
 * Benchmark (growth): what is stored and listed, with few and with many messages of 1,000 companies. By Zipf's law the largest of them, which
 * is asked, has a seventh of the messages. GROWTH_MESSAGES sets the larger number; ten million take an hour to fill.
 */
import { Pool } from 'undici';
import type { TestDatabase } from '../test/support/database.ts';
import { reportProgress } from '../test/support/progress.ts';
import { openCallbackCaller, postOncePerPerson, type CallbackCaller } from './callbacks.ts';
import type { OpenThread } from './bare-send.ts';
import { fillTables } from './fill.ts';
import { compareRates, percentile, type Figure } from './measure.ts';
import { changeSandbox, measureStatuses, openSender, openThreads, startSending, takeInTurn } from './send.ts';
import { findSendingInbox, openBenchStage, type BenchStage, type SpawnedProgram } from './stage.ts';

const SIZES = { few: 100_000, many: Number(process.env['GROWTH_MESSAGES'] ?? 1_000_000) };
const COMPANIES = 1_000;
const MESSAGES_EACH = 5;
const PORTION = 50_000;
// With many messages, everything may be slower by this factor.
const SLACK = 1.1;
const WIDTH = 16;
const ROUND = { width: WIDTH, durationMs: 4_000, times: 3 };
const PEOPLE = 2_000;
const ASKED = 100;
const WORDS =
  `pedido entrega boleto pagamento troca devolução produto tamanho cor prazo endereço obrigado bom dia tarde noite preço desconto
  loja horário aberto fechado domingo cartão pix nota fiscal garantia reembolso rastreio correio caixa chegou quebrado novo ajuda falar`.split(
    /\s+/,
  );

/** A platform with its messages. */
interface Side {
  stage: BenchStage;
  threads: OpenThread[];
  sandbox: SpawnedProgram;
  platform: SpawnedProgram;
}

/** Measures both sides in turn, so that a disturbance of the machine affects them alike. */
export async function benchGrowth(stage: BenchStage): Promise<Figure[]> {
  const other = await openBenchStage();
  const [few, many] = [await openSide(other, SIZES.few), await openSide(stage, SIZES.many)];
  try {
    const lists = await compareLists(few, many);
    return [
      ...lists,
      await compareCallbacks(few, many),
      await compareSends(few, many),
      await compareStatuses(few, many),
    ];
  } finally {
    for (const { platform, sandbox } of [few, many]) {
      await platform.stop();
      await sandbox.stop();
    }
    await other.close();
  }
}

async function openSide(stage: BenchStage, messages: number): Promise<Side> {
  await fillMessages(stage.database, await createCompanies(stage), messages);
  const threads = await openThreads(stage);
  const programs = await startSending(stage);
  await changeSandbox(programs.sandbox.url, { status_delays_ms: { sent: null, delivered: null, read: null } });
  return { stage, threads, ...programs };
}

const makeFigure = (name: string, [few, many]: [number, number], unit: string, factor: number): Figure => ({
  name: `(growth) ${name}`,
  value: `${few.toFixed(2)} → ${many.toFixed(2)} ${unit}`,
  goal: `<= ${SLACK} x`,
  met: factor <= SLACK,
});

async function compareWork(name: string, few: () => Promise<unknown>, many: () => Promise<unknown>): Promise<Figure> {
  const rates = await compareRates(
    [
      { name: 'few', work: few },
      { name: 'many', work: many },
    ],
    ROUND,
  );
  const [before, after] = [rates.get('few') ?? 0, rates.get('many') ?? 0];
  return makeFigure(name, [before, after], 'a second', before / after);
}

async function compareCallbacks(...sides: [Side, Side]): Promise<Figure> {
  const callers = sides.map(({ stage, platform }) =>
    openCallbackCaller(platform.url, stage, { connections: WIDTH, people: PEOPLE }),
  ) as [CallbackCaller, CallbackCaller];
  for (const { call } of callers) await postOncePerPerson(call, WIDTH, PEOPLE);
  const figure = await compareWork('callbacks stored', callers[0].call, callers[1].call);
  for (const caller of callers) await caller.close();
  return figure;
}

async function compareSends(...sides: [Side, Side]): Promise<Figure> {
  const senders = sides.map(({ stage, platform, threads }) => {
    const sender = openSender(platform.url, stage.key, WIDTH);
    const next = takeInTurn(threads);
    return { send: () => sender.send(next()), close: sender.close };
  }) as [Sender, Sender];
  const figure = await compareWork('texts sent', senders[0].send, senders[1].send);
  for (const sender of senders) await sender.close();
  return figure;
}

interface Sender {
  send(): Promise<void>;
  close(): Promise<void>;
}

async function compareStatuses(few: Side, many: Side): Promise<Figure> {
  const measure = ({ stage, platform, sandbox, threads }: Side): Promise<number> =>
    measureStatuses(stage, platform, sandbox, threads);
  const [before, after] = [await measure(few), await measure(many)];
  return makeFigure('PostgreSQL for a text with three statuses', [before, after], 'ms', after / before);
}

/** The medians of the times of each list. */
async function compareLists(few: Side, many: Side): Promise<Figure[]> {
  const readers = [await openReader(few), await openReader(many)];
  const figures: Figure[] = [];
  for (const [name, path] of QUESTIONS) {
    reportProgress(name);
    const times: [number[], number[]] = [[], []];
    for (let call = -10; call < ASKED; call += 1) {
      for (const [side, reader] of readers.entries()) {
        const startedMs = performance.now();
        await reader.ask(path(Math.abs(call), reader));
        if (call >= 0) times[side]?.push(performance.now() - startedMs);
      }
    }
    const [before, after] = [percentile(times[0], 50), percentile(times[1], 50)];
    figures.push(makeFigure(name, [before, after], 'ms', after / before));
  }
  for (const { close } of readers) await close();
  return figures;
}

interface Reader {
  messages: string[];
  conversations: string[];
  ask(path: string): Promise<void>;
  close(): Promise<void>;
}

async function openReader({ stage, platform }: Side): Promise<Reader> {
  const pick = async (table: string): Promise<string[]> => {
    const text = `select _id from ${table} where company_id = $1 order by md5(_id) limit ${ASKED}`;
    return (await stage.database.sql<{ _id: string }>(text, [stage.company])).map(({ _id }) => _id);
  };
  const pool = new Pool(platform.url, { connections: 1, pipelining: 1 });
  const headers = { authorization: `Bearer ${stage.key}` };
  return {
    messages: await pick('messages'),
    conversations: await pick('conversations'),
    ask: async (path) => {
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}: ${text}`);
    },
    close: () => pool.close(),
  };
}

const word = (index: number): string => encodeURIComponent(WORDS[index % WORDS.length] ?? '');
const QUESTIONS: [name: string, path: (index: number, reader: Reader) => string][] = [
  ['a message', (index, { messages }) => `/v1/messages/${messages[index % messages.length]}`],
  [
    'messages of a conversation',
    (index, { conversations }) =>
      `/v1/messages/conversation/${conversations[index % conversations.length]}?limit=50&skipCount=true`,
  ],
  ['messages by change', () => '/v1/messages?limit=20&skipCount=true&sort=-updatedAt'],
  ['messages with two words', (index) => `/v1/messages?search=${word(index)}%20${word(index * 7 + 3)}&skipCount=true`],
  ['messages with a rare word', (index) => `/v1/messages?search=${1_000 + index * 37}&skipCount=true`],
  ['open conversations', () => '/v1/conversations?status=OPEN&limit=20&skipCount=true'],
  ['counts of conversations', () => '/v1/conversations/counts'],
  ['log of deliveries', () => '/v1/webhooks/deliveries?limit=20&skipCount=true'],
];

interface Tenants {
  companies: string[];
  inboxes: string[];
}

/** The demo company comes first, which makes it the largest. */
async function createCompanies(stage: BenchStage): Promise<Tenants> {
  const others = await stage.database.sql<{ _id: string }>(
    `with made as (insert into companies (_id, name) select new_id(), 'Bench ' || n from generate_series(2, ${COMPANIES}) n returning _id)
      insert into inboxes (company_id, _id, name, channel) select _id, _id, 'Chat', 'WEB_V2' from made returning _id`,
  );
  const ids = others.map(({ _id }) => _id);
  return { companies: [stage.company, ...ids], inboxes: [await findSendingInbox(stage), ...ids] };
}

/** Adds messages, and a contact with a conversation for every five. */
async function fillMessages(database: TestDatabase, { companies, inboxes }: Tenants, count: number): Promise<void> {
  const threads = count / MESSAGES_EACH;
  await fillTables(database, ['contacts', 'conversations'], async () => {
    for (let first = 1; first <= threads; first += PORTION)
      await database.sql(THREADS, [companies, inboxes, first, Math.min(first + PORTION - 1, threads)]);
  });
  await fillTables(database, ['messages', 'message_search'], async () => {
    for (let first = 1; first <= count; first += PORTION) {
      reportProgress(`${first - 1} messages`);
      await database.sql(MESSAGES, [companies, inboxes, first, Math.min(first + PORTION - 1, count), threads, WORDS]);
    }
  });
  await database.sql('vacuum analyze conversation_activity, contact_activity, message_activity');
}

/** The place of a company by Zipf's law, for the number of a conversation. */
const RANK = `floor(${COMPANIES} ^ ((hashint8extended(t.n, 7) & 1073741823) / 1073741824.0))::int`;
const idOf = (number: string): string => `'c' || lpad(to_hex(${number}), 23, '0')`;

const THREADS = `with t as (
    select n, c.company, c.inbox, case when c.rank = 1 then 'WAP_AUTO_CLOSER' else 'WEB_V2' end as channel, ${idOf('n')} as _id,
      now() - interval '300 days' + n * interval '10 seconds' as at
    from generate_series($3::bigint, $4::bigint) t (n) cross join lateral (select ${RANK} as rank) r
      cross join lateral (select r.rank, ($1::text[])[r.rank] as company, ($2::text[])[r.rank] as inbox) c
  ), people as (
    insert into contacts (company_id, _id, name, source, created_at) select company, _id, 'Bench ' || n, 'IMPORT', at from t
  )
  insert into conversations (company_id, _id, contact_id, inbox_id, channel, status, handled_by, created_at, last_message_at, closed_at)
    select company, _id, _id, inbox, channel, case when n % 50 = 0 then 'OPEN' else 'CLOSED' end, 'HUMAN', at, at,
      case when n % 50 <> 0 then at end from t`;

const MESSAGES = `with stored as (insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin,
    content_type, content, status, external_id, created_at, updated_at, sent_at)
  select ($1::text[])[rank], first_id(at) || lpad(to_hex(m.n), 16, '0'), ${idOf('t.n')}, ${idOf('t.n')}, ($2::text[])[rank],
    case when rank = 1 then 'WAP_AUTO_CLOSER' else 'WEB_V2' end, case when is_in then 'CONTACT' else 'USER' end,
    case when is_in then 'INCOMING' else 'OUTGOING' end, case when is_in then 'CHANNEL' else 'DASHBOARD' end, 'TEXT',
    (select string_agg(($6::text[])[1 + (m.n * (i * 7 + 3) + m.n / (i * 13)) % cardinality($6::text[])], ' ')
      from generate_series(1, 4 + (m.n % 12)::int) i) || ' ' || m.n,
    case when is_in then 'RECEIVED' else 'READ' end, 'seed.' || m.n, at, at, at
  from generate_series($3::bigint, $4::bigint) m (n)
    cross join lateral (select 1 + (m.n * 7919) % $5::bigint as n, m.n % 2 = 0 as is_in, now() - interval '300 days' + m.n * interval '2 seconds' as at) t
    cross join lateral (select ${RANK} as rank) r returning *)
  insert into message_keys (company_id, key, message_id) select company_id, message_key(inbox_id, external_id), _id from stored`;

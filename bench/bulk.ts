/**
 * Benchmark (bulk): one template to 2,000 new contacts, without a pace beside a bare loop that makes the same calls and writes the same rows,
 * with 0, 1 and 10 % of the messages refused; and the pace that two processes keep together. Nobody listens to events. What is compared is the
 * CPU time of a contact, in the sending process and in PostgreSQL: the rates are shown beside it.
 */
import { reportProgress } from '../test/support/progress.ts';
import { openBareBulk } from './bare-bulk.ts';
import { findServer, readCpuMs } from '../test/support/cpu.ts';
import { median, type Figure } from './measure.ts';
import { findSendingInbox, spawnProgram, type SpawnedProgram, type BenchStage } from './stage.ts';

const CONTACTS = 2_000;
const ROUNDS = 3;
const GOAL = 0.7;
const REFUSED_SHARES = [0, 0.01, 0.1];
// So many messages a second that no slot is ever waited for.
const NO_PACE = 100_000;
// What a number may send, and the share of it that bulk sending takes.
const THROUGHPUT = 80;
const PACE = 0.8 * THROUGHPUT;
const WINDOW_MS = 10_000;

interface Target {
  platform: SpawnedProgram;
  key: string;
  inbox: string;
}

export async function benchBulk(stage: BenchStage): Promise<Figure[]> {
  const sandbox = await spawnProgram('sandbox/main.ts', [], { SANDBOX_OPEN: '1', SANDBOX_APP_SECRET: stage.appSecret });
  const started = [sandbox];
  const inbox = await findSendingInbox(stage);
  const start = async (purpose: 'all' | 'api', throughput: number): Promise<Target> => {
    const env = { WAP_GRAPH_URL: sandbox.url, OUTBOUND_ALLOW: '127.0.0.0/8', NUMBER_THROUGHPUT: String(throughput) };
    const platform = await spawnProgram('src/launch.js', [purpose], { ...stage.env, ...env });
    started.push(platform);
    return { platform, key: stage.key, inbox };
  };
  try {
    await stage.database.sql('delete from event_listeners');
    const unpaced = await start('all', NO_PACE);
    await waitForTemplates(unpaced);
    await stage.database.sql('update portfolios set people_limit = -1');
    const figures = await compareShares(stage, sandbox.url, unpaced);
    const paced = [await start('api', THROUGHPUT), await start('api', THROUGHPUT)];
    return [...figures, ...(await measurePace(sandbox.url, paced))];
  } finally {
    for (const program of started.toReversed()) await program.stop();
  }
}

async function compareShares(stage: BenchStage, networkUrl: string, target: Target): Promise<Figure[]> {
  const bare = await openBareBulk(stage, networkUrl);
  const refuse = async (share: number): Promise<void> => {
    const send = share === 0 ? [] : [{ code: 131_009, times: CONTACTS * share }];
    await callSandbox<unknown>(networkUrl, 'settings', { faults: { send } });
  };
  const server = await findServer(stage.database);
  const cpu = {
    own: () => readCpuMs(server, target.platform.child.pid ?? 0),
    bare: () => readCpuMs(server) + process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000,
  };
  const figures: Figure[] = [];
  await sendBulk(target, makePhones(CONTACTS / 4));
  await bare.send(makePhones(CONTACTS / 4));
  for (const share of REFUSED_SHARES) {
    const costs: Record<'own' | 'bare', Cost[]> = { own: [], bare: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      await refuse(share);
      costs.own.push(await measureSend(cpu.own, () => sendBulk(target, makePhones(CONTACTS), CONTACTS * share)));
      await refuse(share);
      costs.bare.push(await measureSend(cpu.bare, () => bare.send(makePhones(CONTACTS))));
    }
    figures.push(makeCostFigure(`(bulk) contacts, ${share * 100} % refused / bare loop`, costs));
  }
  await bare.close();
  return figures;
}

/** What a contact costs, and how many were sent in a second. */
interface Cost {
  cpuMs: number;
  rate: number;
}

async function measureSend(readMs: () => number, send: () => Promise<unknown>): Promise<Cost> {
  const startedMs = performance.now();
  const beforeMs = readMs();
  await send();
  const cost = {
    cpuMs: (readMs() - beforeMs) / CONTACTS,
    rate: (CONTACTS * 1000) / (performance.now() - startedMs),
  };
  reportProgress(`${Math.round(cost.rate)} contacts/s, ${cost.cpuMs.toFixed(2)} ms of CPU time each`);
  return cost;
}

function makeCostFigure(name: string, costs: Record<'own' | 'bare', Cost[]>): Figure {
  const [own, bare] = [costs.own, costs.bare].map((list) => ({
    cpuMs: median(list.map(({ cpuMs }) => cpuMs)),
    rate: Math.round(median(list.map(({ rate }) => rate))),
  })) as [Cost, Cost];
  const share = bare.cpuMs / own.cpuMs;
  return {
    name,
    value: `${share.toFixed(2)} (${bare.cpuMs.toFixed(2)} of ${own.cpuMs.toFixed(2)} ms; ${own.rate} of ${bare.rate}/s)`,
    goal: `>= ${GOAL}`,
    met: share >= GOAL,
  };
}

let given = 0;

/** Makes numbers that nobody has written to before. */
const makePhones = (count: number): string[] =>
  Array.from({ length: count }, () => {
    given += 1;
    return `55119${80_000_000 + given}`;
  });

async function sendBulk({ platform, key, inbox }: Target, phones: string[], refused = 0): Promise<void> {
  const form = new FormData();
  const contacts = phones.map((phone) => ({ name: 'Bench', phone: `+${phone}` }));
  const parts = { inboxId: inbox, templateName: 'hello_world', languageCode: 'pt_BR' };
  for (const [name, value] of Object.entries(parts)) form.set(name, value);
  form.set('contacts', JSON.stringify(contacts));
  const response = await fetch(`${platform.url}/v1/messages/send-bulk-template`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  const { sentCount, errorCount } = (await response.json()) as { sentCount?: number; errorCount?: number };
  if (sentCount !== phones.length - refused || errorCount !== refused)
    throw new Error(`a bulk call answered ${response.status} and sent ${sentCount}`);
}

/** Two processes send at once with the same number. The sandbox notes when each message arrived. */
async function measurePace(networkUrl: string, targets: Target[]): Promise<Figure[]> {
  const { next_after: before } = await callSandbox<{ next_after: number }>(networkUrl, 'messages');
  await Promise.all(targets.map((target) => sendBulk(target, makePhones(CONTACTS / targets.length))));
  const path = `messages?after=${before}`;
  const { messages } = await callSandbox<{ messages: { created_at: string }[] }>(networkUrl, path);
  const times = messages.map(({ created_at }) => Date.parse(created_at)).toSorted((a, b) => a - b);
  const means = countWindows(times, WINDOW_MS).map((count) => (count * 1000) / WINDOW_MS);
  const farthest = Math.max(...means.map((mean) => Math.abs(mean / PACE - 1)));
  const fullest = Math.max(...countWindows(times, 1_000)) / PACE;
  return [
    {
      name: '(bulk) pace of two processes over 10 s',
      value: `${(farthest * 100).toFixed(1)} % off ${PACE}/s at most`,
      goal: '<= 2 %',
      met: farthest <= 0.02,
    },
    {
      name: '(bulk) the fullest second of two processes',
      value: `${(fullest * 100).toFixed(0)} % of ${PACE}`,
      goal: '<= 110 %',
      met: fullest <= 1.1,
    },
  ];
}

/** Counts what happened in each window of this length that begins with an event and ends before the last one. */
function countWindows(times: number[], lengthMs: number): number[] {
  const last = times.at(-1) ?? 0;
  let end = 0;
  return times.flatMap((from, index) => {
    if (from + lengthMs > last) return [];
    while ((times[end] ?? Infinity) < from + lengthMs) end += 1;
    return [end - index];
  });
}

async function waitForTemplates({ platform, key, inbox }: Target): Promise<void> {
  for (;;) {
    const response = await fetch(`${platform.url}/v1/inboxes/${inbox}/templates?name=hello_world`, {
      headers: { authorization: `Bearer ${key}` },
    });
    if (((await response.json()) as { result: unknown[] }).result.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function callSandbox<T>(url: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${url}/sandbox/${path}`, {
    method: body ? 'PUT' : 'GET',
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`the sandbox answered ${response.status} to ${path}`);
  return (await response.json()) as T;
}

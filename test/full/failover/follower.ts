/** A page that follows the live stream during failovers: it opens the stream again with its cursor, and reads its list at a reset. */
import { setTimeout as sleep } from 'node:timers/promises';
import { connectLive, type LiveClient } from '../../support/live.ts';
import { waitUntil } from '../../support/wait.ts';
import type { DatabasePair } from '../harness/database-pair.ts';
import type { FailoverRun } from './clients.ts';

export interface LiveFollower {
  /** The incoming messages that the page has. */
  messages: Set<string>;
  /** How often the stream broke by itself. */
  breaks: number;
  /** How often the stream went on where the page had left it, and how often the page had to read its lists again. */
  resumed: number;
  resets: number;
}

const AGAIN_MS = 200;

/** Follows the live stream until the signal. */
export function followLive(run: FailoverRun, stop: AbortSignal): LiveFollower {
  const follower = { messages: new Set<string>(), breaks: 0, resumed: 0, resets: 0 };
  void follow(run, follower, stop);
  return follower;
}

async function follow(run: FailoverRun, follower: LiveFollower, stop: AbortSignal): Promise<void> {
  let after: string | undefined;
  while (!stop.aborted) {
    const client = await open(run, after);
    if (client) {
      await take(run, follower, { client, isResumed: after !== undefined, stop });
      after = client.cursor();
    }
    await sleep(AGAIN_MS);
  }
}

/** Returns null while no stream can begin; a page then tries again with the cursor that it has. */
async function open(run: FailoverRun, after: string | undefined): Promise<LiveClient | null> {
  const { chance, processes, tenant } = run;
  const target = { url: chance.pick(processes).url, demo: tenant };
  // Failure policy: a page tries again later, whatever the answer was.
  const client = await connectLive(target, after ? { after } : {}).catch(() => null);
  const isReady = (): boolean => client?.events.some(({ event }) => event === 'ready') ?? false;
  await waitUntil('a stream to begin or to end', () => isReady() || (client?.isClosed() ?? true));
  return isReady() ? client : null;
}

interface Opened {
  client: LiveClient;
  isResumed: boolean;
  stop: AbortSignal;
}

async function take({ pair }: FailoverRun, follower: LiveFollower, { client, isResumed, stop }: Opened): Promise<void> {
  const isReset = client.events[0]?.event === 'reset';
  if (isResumed) follower[isReset ? 'resets' : 'resumed'] += 1;
  let taken = 0;
  const takeNew = async (): Promise<void> => {
    const events = client.events.slice(taken);
    taken += events.length;
    for (const { event, data } of events) {
      if (event === 'message' && data.external_id) follower.messages.add(data.external_id);
      if (event === 'reset') for (const id of await listMessages(pair)) follower.messages.add(id);
    }
  };
  // After a failover the page opens its stream again, with a cursor of the former primary.
  const { primary } = pair;
  while (!client.isClosed() && !stop.aborted && pair.primary === primary) {
    await takeNew();
    await sleep(AGAIN_MS);
  }
  if (client.isClosed()) follower.breaks += 1;
  await client.close();
  // The cursor is behind the events that arrived since the last look.
  if (!stop.aborted) await takeNew();
}

const listMessages = (pair: DatabasePair): Promise<string[]> =>
  waitUntil('the list of messages', async () => {
    // Failure policy: a page reads its lists again until the database answers.
    const rows = await pair.primary.sql<{ id: string }>('select external_id as id from messages').catch(() => null);
    return rows?.map(({ id }) => id);
  });

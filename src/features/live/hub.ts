/** The live streams of one company in this process. A changed record is read once, and written once for all viewers that may see it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kit } from '../../kit.ts';
import { createPump } from '../../platform/work/pump.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { formatCursor } from './cursor.ts';
import { addChanges, readChanges, type ChangedRecords, type LiveEvent } from './records.ts';
import { writeCursor } from './stream.ts';
import { writeEvents, type Follower } from './viewer.ts';
import type { News } from './watch.ts';

export interface Hub {
  readonly viewers: Set<Follower>;
  /** Takes what a look has found. */
  take(news: News): void;
  /** Sends events that are not read from the database. */
  announce(events: LiveEvent[]): void;
  /** The place from which a client goes on that has received everything sent so far. */
  cursor(): string;
  /** Sends the cursor to all viewers, which also keeps their connections alive. */
  beat(): void;
  /** Ends all streams. */
  end(): void;
}

// Reading and writing take at most a thirteenth of the time, so that storing is hardly slower while someone watches.
const REST_FACTOR = 12;
const REST_MS = 20;
const RETRY_MS = 500;

export function createHub(read: TenantRead, { log, secrets }: Pick<Kit, 'log' | 'secrets'>): Hub {
  const viewers = new Set<Follower>();
  let pending: ChangedRecords = new Map();
  let isSending = false;
  // The snapshot of the last look, and the last one of which all changes have been sent.
  let looked = '';
  let sent = '';
  const sends = createPump((running) => running === 0 && pending.size > 0, send);

  async function send(): Promise<void> {
    const [changed, snapshot, beganMs] = [pending, looked, performance.now()];
    pending = new Map();
    isSending = true;
    let restMs = RETRY_MS;
    try {
      for await (const events of readChanges(read, changed, secrets)) broadcast(viewers, events);
      sent = snapshot;
      beat();
      restMs = Math.max(REST_MS, REST_FACTOR * (performance.now() - beganMs));
    } catch (error) {
      // Failure policy: the records are read again; viewers that have received a part of them receive it twice. When no one watches any
      // more, for example because the platform stops, no one needs them.
      log.warn({ err: error }, 'live: changed records could not be read');
      if (viewers.size > 0) addChanges(pending, changed);
    }
    isSending = false;
    await sleep(restMs);
  }

  const cursor = (): string => formatCursor(sent);

  function beat(): void {
    const text = Buffer.from(writeCursor(cursor()));
    for (const viewer of viewers) viewer.push(text);
  }

  return {
    viewers,
    take: ({ changed, snapshot, isComplete }) => {
      looked = snapshot;
      if (!isComplete) for (const viewer of viewers) viewer.reset();
      if (viewers.size > 0) addChanges(pending, changed);
      if (pending.size > 0) sends.wake();
      else if (!isSending) sent = snapshot;
    },
    announce: (events) => broadcast(viewers, events),
    cursor,
    beat,
    end: () => {
      for (const viewer of viewers) viewer.end();
    },
  };
}

function broadcast(viewers: Set<Follower>, events: LiveEvent[]): void {
  const written = writeEvents(events);
  const texts = new Map<string, Buffer>();
  for (const viewer of viewers) {
    const key = viewer.key(written);
    const text = texts.get(key) ?? viewer.select(written);
    texts.set(key, text);
    if (text.length > 0) viewer.push(text);
  }
}

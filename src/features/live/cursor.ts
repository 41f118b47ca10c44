/** The place in a live stream from which a client goes on: when it was written, and the transactions that had ended then. */
import { MAX_CURSOR } from './schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

const CURSOR = /^(\d{9,11})\.(?:([0-9A-F]{8})\.)?(\d{1,18}):(\d{1,18}):((?:\d{1,18}(?:,\d{1,18})*)?)$/;

/** How long a client may be away and go on without reading its lists again. */
export const RESUMABLE_SECONDS = declareLimit(3_600, {
  topic: 'Live',
  what: 'Stream: time to resume with a cursor',
  unit: 'seconds',
  beyond: '`reset`; read the lists again',
});

export interface Cursor {
  /** Seconds since 1970. */
  writtenAt: number;
  /** The timeline and a pg_snapshot, as `readNoted` returns them. Without a timeline, as earlier versions wrote it, it is of no use. */
  snapshot: string;
}

export const formatCursor = (snapshot: string): string => `${Math.floor(Date.now() / 1_000)}.${snapshot}`;

/** Returns null for a text that is no cursor. PostgreSQL throws an error for a snapshot that contradicts itself, so the order is checked. */
export function parseCursor(text: string): Cursor | null {
  const [, seconds, timeline = '', xmin = '', xmax = '', running = ''] =
    (text.length <= MAX_CURSOR && CURSOR.exec(text)) || [];
  if (seconds === undefined) return null;
  const inOrder = [xmin, ...(running === '' ? [] : running.split(',')), xmax].map(BigInt);
  const isOrdered = inOrder.every((xid, at) => {
    const before = inOrder[at - 1] ?? 0n;
    // The first running transaction may be xmin itself, and without running ones xmax may be.
    return xid > before || (xid === before && at === 1);
  });
  return isOrdered ? { writtenAt: Number(seconds), snapshot: `${timeline}.${xmin}:${xmax}:${running}` } : null;
}

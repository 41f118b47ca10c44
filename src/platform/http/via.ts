/** Marks the requests by which another protocol calls operations inside the process, for the audit. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The protocols besides the API by which a change can arrive. */
export const VIAS = ['MCP', 'EVOLUTION'] as const;
export type Via = (typeof VIAS)[number];

const HEADER = 'x-parley-via';
// Random and only in this process, so that no client can send the mark.
const MARKS = new Map(VIAS.map((via) => [`${via} ${randomUUID()}`, via]));

/** Returns the header that marks a request inside the process. */
export function markVia(via: Via): Record<string, string> {
  const found = [...MARKS].find(([, each]) => each === via);
  return found ? { [HEADER]: found[0] } : {};
}

export const readVia = (headers: IncomingHttpHeaders): Via | null => MARKS.get(String(headers[HEADER])) ?? null;

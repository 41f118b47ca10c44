import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { asObject, parseJson, readBody, writeAnswer } from './exchange.ts';
import { publish, type Listeners } from './live.ts';
import { createRing, push, type Ring } from './ring.ts';

const MODES = ['ok', 'status', 'hang', 'drip', 'redirect', 'reset', 'endless'] as const;

/** How the receiver behaves: `ms` is the wait before an answer, or between two bytes of a slow one; `times` null means for ever. */
export type Behaviour = {
  mode: (typeof MODES)[number];
  status: number;
  ms: number;
  location: string;
  times: number | null;
};

/** One request that the receiver got, unchanged; `body` is text. */
export type Delivery = {
  seq: number;
  at: string;
  method: string;
  path: string;
  event: string | null;
  duplicate: boolean;
  headers: Record<string, string | string[] | undefined>;
  body: string;
};

export type Receiver = {
  behaviour: Behaviour;
  deliveries: Ring<Delivery>;
  count: number;
  byEvent: Map<string, number>;
  duplicates: number;
  /** Fingerprints of path and body, to detect repetitions. */
  seen: Set<string>;
};

const KEPT = 1_000;
const BODY_MAX_BYTES = 16 * 1_048_576;
// 20 MB of fingerprints: a benchmark of a million deliveries still finds repetitions among its last 200,000.
const SEEN_KEPT = 200_000;
const DEFAULT_BEHAVIOUR: Behaviour = { mode: 'ok', status: 200, ms: 0, location: '/receiver/redirected', times: null };

/** The numbers of requests go on after those of the receiver that it replaces. */
export const createReceiver = (replaced?: Receiver): Receiver => ({
  behaviour: DEFAULT_BEHAVIOUR,
  deliveries: createRing(KEPT, replaced?.deliveries),
  count: 0,
  byEvent: new Map(),
  duplicates: 0,
  seen: new Set(),
});

/** Validates and applies a behaviour; missing fields get their defaults. Returns an error sentence when a field is wrong. */
export function setBehaviour(receiver: Receiver, input: unknown): Behaviour | string {
  const given = asObject(input);
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(DEFAULT_BEHAVIOUR, key));
  if (unknown !== undefined) return `There is no field ${unknown}.`;
  const next = { ...DEFAULT_BEHAVIOUR, ...(given as Partial<Behaviour>) };
  if (!MODES.includes(next.mode)) return `The mode must be one of ${MODES.join(', ')}.`;
  const isStatus = Number.isInteger(next.status) && next.status >= 200 && next.status <= 599;
  if (!isStatus) return 'The status must be a number from 200 to 599.';
  if (!Number.isInteger(next.ms) || next.ms < 0) return 'The field ms must be a whole number of milliseconds.';
  if (next.times !== null && !(Number.isInteger(next.times) && next.times > 0))
    return 'The field times must be null or at least 1.';
  receiver.behaviour = next;
  return next;
}

type Reception = { receiver: Receiver; listeners: Listeners };

/** Stores a request to /receiver/ and answers as the behaviour says. */
export async function receive(reception: Reception, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = await readBody(req, BODY_MAX_BYTES);
  store(reception, req, body ?? Buffer.alloc(0));
  behave(takeBehaviour(reception.receiver), res);
}

function store({ receiver, listeners }: Reception, req: IncomingMessage, bytes: Buffer): void {
  const path = req.url ?? '';
  const event = readEventName(req, bytes);
  const fingerprint = createHash('sha1').update(path).update(bytes).digest('base64');
  const duplicate = bytes.length > 0 && receiver.seen.has(fingerprint);
  rememberFingerprint(receiver.seen, fingerprint);
  const delivery: Delivery = {
    seq: receiver.deliveries.nextSeq,
    at: new Date().toISOString(),
    method: req.method ?? '',
    path,
    event,
    duplicate,
    headers: req.headers,
    body: bytes.toString(),
  };
  push(receiver.deliveries, delivery);
  receiver.count += 1;
  if (duplicate) receiver.duplicates += 1;
  receiver.byEvent.set(event ?? '', (receiver.byEvent.get(event ?? '') ?? 0) + 1);
  publish(listeners, 'deliveries', 'delivery', delivery);
}

function rememberFingerprint(seen: Set<string>, fingerprint: string): void {
  seen.add(fingerprint);
  if (seen.size <= SEEN_KEPT) return;
  const [oldest] = seen;
  if (oldest !== undefined) seen.delete(oldest);
}

/** The name of the event, from its header when there is one, because parsing the body costs time. */
function readEventName(req: IncomingMessage, bytes: Buffer): string | null {
  const header = req.headers['x-webhook-event'];
  if (typeof header === 'string') return header;
  const event = asObject(parseJson(bytes))['event'];
  return typeof event === 'string' ? event : null;
}

function takeBehaviour(receiver: Receiver): Behaviour {
  const { behaviour } = receiver;
  if (behaviour.times !== null) {
    behaviour.times -= 1;
    if (behaviour.times <= 0) receiver.behaviour = DEFAULT_BEHAVIOUR;
  }
  return behaviour;
}

function behave({ mode, status, ms, location }: Behaviour, res: ServerResponse): void {
  switch (mode) {
    case 'ok':
    case 'status': {
      const reply = { status: mode === 'ok' ? 200 : status, body: { received: true } };
      if (ms === 0) writeAnswer(res, reply);
      else setTimeout(() => writeAnswer(res, reply), ms);
      return;
    }
    case 'redirect':
      res.writeHead(status >= 300 && status < 400 ? status : 302, { location }).end();
      return;
    case 'reset':
      res.socket?.resetAndDestroy();
      return;
    case 'hang':
      return;
    case 'drip':
      drip(res, ms || 1_000);
      return;
    case 'endless':
      pour(res);
      return;
  }
}

function drip(res: ServerResponse, everyMs: number): void {
  res.writeHead(200, { 'content-type': 'text/plain' });
  const timer = setInterval(() => res.write('.'), everyMs);
  res.on('close', () => clearInterval(timer));
}

const FLOOD = Buffer.alloc(65_536, '.');

function pour(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/plain' });
  const timer = setInterval(() => {
    // Writes only as fast as the client reads: the flood is meant to fill the client's memory, not ours.
    while (!res.destroyed && res.write(FLOOD));
  }, 1);
  res.on('close', () => clearInterval(timer));
}

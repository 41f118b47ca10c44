import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toObject, parseJson, readBody, writeAnswer } from './exchange.ts';
import { publish, type Listeners } from './live.ts';
import { createRing, pushToRing, type Ring } from './ring.ts';

const MODES = ['ok', 'status', 'hang', 'drip', 'redirect', 'reset', 'endless'] as const;

/** How the receiver answers: `ms` is the wait before an answer, or between two bytes of a slow one; `times` null means for ever. */
export type ReceiverBehaviour = {
  mode: (typeof MODES)[number];
  status: number;
  ms: number;
  location: string;
  times: number | null;
};

/** One request that the receiver got, unchanged; `body` is its text. */
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
  behaviour: ReceiverBehaviour;
  deliveries: Ring<Delivery>;
  count: number;
  byEvent: Map<string, number>;
  duplicates: number;
  /** Fingerprints of path and body, to detect repetitions. */
  seen: Set<string>;
};

const KEPT = 1_000;
const BODY_MAX_BYTES = 16 * 1_048_576;
// The fingerprints take 20 MB, so a benchmark of a million deliveries still finds repetitions among its last 200,000.
const SEEN_KEPT = 200_000;
const DEFAULT_BEHAVIOUR: ReceiverBehaviour = {
  mode: 'ok',
  status: 200,
  ms: 0,
  location: '/receiver/redirected',
  times: null,
};

/** Creates a receiver. Its requests are numbered after those of the receiver that it replaces. */
export const createReceiver = (replaced?: Receiver): Receiver => ({
  behaviour: DEFAULT_BEHAVIOUR,
  deliveries: createRing(KEPT, replaced?.deliveries),
  count: 0,
  byEvent: new Map(),
  duplicates: 0,
  seen: new Set(),
});

/** Validates and stores a behaviour; missing fields get their defaults. Returns an error sentence when a field is wrong. */
export function setBehaviour(receiver: Receiver, input: unknown): ReceiverBehaviour | string {
  const given = toObject(input);
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(DEFAULT_BEHAVIOUR, key));
  if (unknown !== undefined) return `There is no field ${unknown}.`;
  const next = { ...DEFAULT_BEHAVIOUR, ...(given as Partial<ReceiverBehaviour>) };
  if (!MODES.includes(next.mode)) return `The mode must be one of ${MODES.join(', ')}.`;
  const isStatus = Number.isInteger(next.status) && next.status >= 200 && next.status <= 599;
  if (!isStatus) return 'The status must be a number from 200 to 599.';
  if (!Number.isInteger(next.ms) || next.ms < 0) return 'The field ms must be a whole number of milliseconds.';
  if (next.times !== null && !(Number.isInteger(next.times) && next.times > 0))
    return 'The field times must be null or at least 1.';
  receiver.behaviour = next;
  return next;
}

type ReceptionContext = { receiver: Receiver; listeners: Listeners };

/** Stores a request to /receiver/ and answers as the behaviour demands. */
export async function receiveDelivery(
  reception: ReceptionContext,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const body = await readBody(req, BODY_MAX_BYTES);
  storeDelivery(reception, req, body ?? Buffer.alloc(0));
  answerAsConfigured(takeBehaviour(reception.receiver), res);
}

function storeDelivery({ receiver, listeners }: ReceptionContext, req: IncomingMessage, bytes: Buffer): void {
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
  pushToRing(receiver.deliveries, delivery);
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

/** Returns the name of the event, from its header when there is one, because parsing the body costs time. */
function readEventName(req: IncomingMessage, bytes: Buffer): string | null {
  const header = req.headers['x-webhook-event'];
  if (typeof header === 'string') return header;
  const event = toObject(parseJson(bytes))['event'];
  return typeof event === 'string' ? event : null;
}

function takeBehaviour(receiver: Receiver): ReceiverBehaviour {
  const { behaviour } = receiver;
  if (behaviour.times !== null) {
    behaviour.times -= 1;
    if (behaviour.times <= 0) receiver.behaviour = DEFAULT_BEHAVIOUR;
  }
  return behaviour;
}

function answerAsConfigured({ mode, status, ms, location }: ReceiverBehaviour, res: ServerResponse): void {
  switch (mode) {
    case 'ok':
    case 'status': {
      const reply = { status: mode === 'ok' ? 200 : status, body: { received: true } };
      if (ms === 0) writeAnswer(res, reply);
      else setTimeout(() => writeAnswer(res, reply), ms).unref();
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
      writeSlowly(res, ms || 1_000);
      return;
    case 'endless':
      writeWithoutEnd(res);
      return;
  }
}

function writeSlowly(res: ServerResponse, everyMs: number): void {
  res.writeHead(200, { 'content-type': 'text/plain' });
  const timer = setInterval(() => res.write('.'), everyMs);
  res.on('close', () => clearInterval(timer));
}

const FLOOD = Buffer.alloc(65_536, '.');

function writeWithoutEnd(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/plain' });
  const timer = setInterval(() => {
    // The receiver writes only as fast as the client reads, because the test wants to fill the client's memory and not this process's.
    while (!res.destroyed && res.write(FLOOD));
  }, 1);
  res.on('close', () => clearInterval(timer));
}

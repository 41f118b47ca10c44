/** One attempt of one delivery. There is never a second one. */
import { setMaxListeners } from 'node:events';
import type { Kit } from '../../kit.ts';
import { OutboundError, type OutboundResponse } from '../../platform/outbound.ts';
import type { Claimed, Outcome } from './delivery-queries.ts';
import { coverValues, type Headers, type OpenedHeaders } from './headers.ts';

/** Everything: name, connection, TLS, headers, body. */
export const ATTEMPT_MS = 10_000;
// What the log keeps of the receiver's answer.
const KEPT_LENGTH = 4_096;

// Thousands of signals and timers a second are work for nothing; what this may cut off early nobody notices.
const SHARED_MS = 20;
let shared = { signal: AbortSignal.abort(), since: Number.NEGATIVE_INFINITY };

/** Aborts within ATTEMPT_MS: one signal for all attempts that begin at about the same moment. */
function deadline(): AbortSignal {
  const now = performance.now();
  if (now - shared.since > SHARED_MS) {
    shared = { signal: AbortSignal.timeout(ATTEMPT_MS), since: now };
    // As many listeners as there are slots: no leak.
    setMaxListeners(0, shared.signal);
  }
  return shared.signal;
}

/** Never throws. `open` gives the custom headers, which are sealed until now. */
export async function attemptDelivery(
  kit: Kit,
  delivery: Claimed,
  open: (delivery: Claimed) => OpenedHeaders,
): Promise<Outcome> {
  const started = performance.now();
  const outcome = (status: number | null, body: string | null, error: string | null): Outcome => ({
    company: delivery.company,
    _id: delivery._id,
    seq: delivery.seq,
    status: error === null ? 'DELIVERED' : 'FAILED',
    response_status: status,
    response_ms: Math.round(performance.now() - started),
    response_body: body,
    error,
  });
  try {
    const headers = open(delivery);
    const response = await kit.outbound.tenant({
      method: 'POST',
      url: delivery.url,
      headers: headersFor(delivery, headers),
      body: delivery.body,
      signal: deadline(),
      // So much more that the log is not shorter for what textOf() takes from its end.
      maxBytes: KEPT_LENGTH + headers.longestSecret,
    });
    return outcome(response.status, textOf(response, headers), errorOf(response.status));
  } catch (error) {
    // Failure policy: the one attempt failed, and the log says how; nobody tries again.
    return outcome(null, null, error instanceof OutboundError ? error.kind : 'INTERNAL');
  }
}

// So that a receiver's log tells these requests from others.
const USER_AGENT = 'Parley-Webhooks/1.0';

/** A custom User-Agent counts; what the delivery says of itself, nobody else may say. */
function headersFor({ _id, event, replay_of }: Claimed, { sent }: OpenedHeaders): Headers {
  const own = { 'content-type': 'application/json', 'x-webhook-event': event, 'x-webhook-delivery': _id };
  const headers = { 'user-agent': USER_AGENT, ...sent, ...own };
  return replay_of === null ? headers : { ...headers, 'x-webhook-replay-of': replay_of };
}

/** What PostgreSQL can store of whatever the receiver sent, less the secrets of ours that it may have echoed. */
function textOf({ body, truncated }: OutboundResponse, headers: OpenedHeaders): string | null {
  if (body.length === 0) return null;
  const text = coverValues(body.toString('utf8'), headers);
  // Where an answer was cut, the beginning of a value may stand, which nobody can recognise.
  const end = truncated ? Math.max(0, text.length - headers.longestSecret) : text.length;
  return text.slice(0, Math.min(end, KEPT_LENGTH)).replaceAll('\0', '�').toWellFormed();
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'REDIRECT' : 'HTTP_STATUS';
}

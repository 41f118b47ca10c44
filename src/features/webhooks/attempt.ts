/** Makes one attempt of one delivery. A failed attempt is never repeated. */
import { setMaxListeners } from 'node:events';
import type { Kit } from '../../kit.ts';
import type { OutboundResponse } from '../../platform/outside/outbound-answer.ts';
import { OutboundError } from '../../platform/outside/outbound-error.ts';
import { stopOnAbort } from '../../platform/outside/stop-on-abort.ts';
import type { ClaimedDelivery, DeliveryOutcome } from './delivery-queries.ts';
import type { BuildDoorRequest } from './doors/format.ts';
import { maskHeaderValues, type Headers, type OpenedHeaders } from './headers.ts';
import { declareLimit } from '../../platform/values/limits.ts';

/** The time limit for a whole attempt: name look-up, connection, TLS, headers and body. */
export const ATTEMPT_MS = declareLimit(10_000, {
  topic: 'Webhooks',
  what: 'Delivery attempt, from name look-up to response',
  unit: 'ms',
  beyond: 'FAILED with TIMEOUT',
});
// The number of characters of the receiver's answer that the log keeps.
const KEPT_LENGTH = declareLimit(4_096, {
  topic: 'Webhooks',
  what: 'Delivery log: response',
  unit: 'characters',
  beyond: 'cut',
});

// The time within which attempts share one signal, because creating thousands of signals and timers a second costs time. A time limit may
// therefore come this much early.
const SHARED_MS = 20;
let shared = { signal: AbortSignal.abort(), since: Number.NEGATIVE_INFINITY };

/** Returns a signal that aborts within ATTEMPT_MS; all attempts that begin at about the same moment share it. */
function sharedDeadline(): AbortSignal {
  const now = performance.now();
  if (now - shared.since > SHARED_MS) {
    shared = { signal: AbortSignal.timeout(ATTEMPT_MS), since: now };
    // Node would warn of a leak, but there are never more listeners than slots.
    setMaxListeners(0, shared.signal);
  }
  return shared.signal;
}

/** What attempts of all deliveries share. */
export interface AttemptTools {
  /** Decrypts the custom headers of the webhook. */
  openHeaders(delivery: ClaimedDelivery): OpenedHeaders;
  buildDoorRequest: BuildDoorRequest;
}

/** Attempts a delivery and never throws. */
export async function attemptDelivery(
  kit: Kit,
  delivery: ClaimedDelivery,
  tools: AttemptTools,
): Promise<DeliveryOutcome> {
  const started = performance.now();
  const outcome = (status: number | null, body: string | null, error: string | null): DeliveryOutcome => ({
    company: delivery.company,
    _id: delivery._id,
    attempted_at: delivery.attempted_at,
    status: error === null ? 'DELIVERED' : 'FAILED',
    response_status: status,
    response_ms: Math.round(performance.now() - started),
    response_body: body,
    error,
  });
  try {
    const headers = tools.openHeaders(delivery);
    const signal = sharedDeadline();
    const { url, body } = delivery;
    const request =
      delivery.hook === null
        ? { url, body, headers: headers.sent }
        : await withinDeadline(signal, tools.buildDoorRequest(delivery, headers));
    if (request === null) return outcome(null, null, null);
    const response = await kit.toWebhooks.tenant({
      method: 'POST',
      url: request.url,
      headers: makeDeliveryHeaders(delivery, request.headers),
      body: request.body,
      signal,
      // This is more than the log keeps, because readResponseText() may cut that many bytes from the end.
      maxBytes: KEPT_LENGTH + headers.longestSecret,
    });
    return outcome(response.status, readResponseText(response, headers), describeStatusError(response.status));
  } catch (error) {
    // Failure policy: the only attempt failed, and the log records how. It is not retried.
    return outcome(null, null, describeFailure(error));
  }
}

/** The format of a door may have to look records up; the time for that is part of the attempt. */
function withinDeadline<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = stopOnAbort(signal, () => reject(new OutboundError('TIMEOUT', false, 'The format took too long.')));
    work.then(resolve, reject).finally(end);
  });
}

// The User-Agent header, which identifies deliveries in the access log of a receiver.
const USER_AGENT = 'Parley-Webhooks/1.0';

/**
 * Returns the headers of a delivery. A custom User-Agent replaces that of the platform; the headers that describe the delivery itself can
 * not be replaced.
 */
function makeDeliveryHeaders({ _id, event, form, replay_of }: ClaimedDelivery, sent: Headers): Headers {
  const own = { 'content-type': 'application/json', 'x-webhook-event': form ?? event, 'x-webhook-delivery': _id };
  const headers = { 'user-agent': USER_AGENT, ...sent, ...own };
  return replay_of === null ? headers : { ...headers, 'x-webhook-replay-of': replay_of };
}

/** The receiver's answer as PostgreSQL can store it, without the secret header values that the receiver may have echoed. */
function readResponseText({ body, truncated }: OutboundResponse, headers: OpenedHeaders): string | null {
  if (body.length === 0) return null;
  const text = maskHeaderValues(body.toString('utf8'), headers);
  // The end of an answer that was cut may be the beginning of a secret value, which cannot be recognised.
  const end = truncated ? Math.max(0, text.length - headers.longestSecret) : text.length;
  return text.slice(0, Math.min(end, KEPT_LENGTH)).replaceAll('\0', '�').toWellFormed();
}

/** The body is the platform's own: a file in it that cannot be read is a defect, or one of the store. */
const describeFailure = (error: unknown): string =>
  error instanceof OutboundError && error.kind !== 'BODY' ? error.kind : 'INTERNAL';

function describeStatusError(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'REDIRECT' : 'HTTP_STATUS';
}

/** One attempt of one delivery. There is never a second one. */
import type { Kit } from '../../kit.ts';
import { OutboundError, type OutboundResponse } from '../../platform/outbound.ts';
import type { Claimed, Outcome } from './delivery-queries.ts';
import type { Headers } from './headers.ts';

/** Everything: name, connection, TLS, headers, body. service.md "Delivery guarantees". */
export const ATTEMPT_MS = 10_000;
// What the log keeps of the receiver's answer.
const KEPT_BYTES = 4_096;

/** Never throws. `open` gives the custom headers, which are sealed until now. */
export async function attemptDelivery(
  kit: Kit,
  delivery: Claimed,
  open: (delivery: Claimed) => Headers,
): Promise<Outcome> {
  const started = performance.now();
  const outcome = (status: number | null, body: string | null, error: string | null): Outcome => ({
    company: delivery.company,
    _id: delivery._id,
    status: error === null ? 'DELIVERED' : 'FAILED',
    response_status: status,
    response_ms: Math.round(performance.now() - started),
    response_body: body,
    error,
  });
  try {
    const response = await kit.outbound.tenant({
      method: 'POST',
      url: delivery.url,
      headers: { ...open(delivery), 'content-type': 'application/json', 'x-webhook-event': delivery.event },
      body: delivery.body,
      signal: AbortSignal.timeout(ATTEMPT_MS),
      maxBytes: KEPT_BYTES,
    });
    return outcome(response.status, textOf(response), errorOf(response.status));
  } catch (error) {
    // Failure policy: the one attempt failed, and the log says how; nobody tries again.
    return outcome(null, null, error instanceof OutboundError ? error.kind : 'INTERNAL');
  }
}

/** What PostgreSQL can store of whatever the receiver sent. */
function textOf(response: OutboundResponse): string | null {
  return response.body.length === 0 ? null : response.body.toString('utf8').replaceAll('\0', '�').toWellFormed();
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'REDIRECT' : 'HTTP_STATUS';
}

/** How many uses of the model run at once, so that a model which hangs for one company does not stop the others. */
import { createReplyPlaces, type AdmitReply } from '../../platform/http/reply-places.ts';
import { AppError } from '../../platform/values/errors.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { createShares } from '../../platform/work/shares.ts';

const MOST_OF_COMPANY = declareLimit(4, {
  topic: 'Agents',
  what: 'AI assist: requests at the same time, per company and process',
  beyond: 'the next one waits',
});
const MOST = declareLimit(40, {
  topic: 'Agents',
  what: 'AI assist: requests at the same time, per process',
  beyond: 'the next one waits',
});
/** Places for companies that use none, and whose model was quick a moment ago. */
const KEPT = 8;
const WAIT_MS = declareLimit(5_000, {
  topic: 'Agents',
  what: 'AI assist: wait for a turn',
  unit: 'ms',
  beyond: '429',
});
const MOST_WAITING = declareLimit(16, {
  topic: 'Agents',
  what: 'AI assist: waiting requests, per company and process',
  beyond: '429',
});
const RETRY_SECONDS = '5';

export function createAssistPlaces(): AdmitReply {
  const detail = 'Too many AI requests of the company are running';
  const refuse = (): AppError => new AppError('RATE_LIMITED', detail, [], { 'retry-after': RETRY_SECONDS });
  const limits = { all: MOST, kept: KEPT, mostWaiting: MOST_WAITING };
  return createReplyPlaces(createShares(MOST_OF_COMPANY, WAIT_MS, limits), refuse);
}

/** Callers who do not wait for their answer. */
import type { FastifyReply } from 'fastify';

/** Aborted when the caller hangs up before the answer is there. */
export function hangUpSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  if (raw.destroyed) controller.abort();
  return controller.signal;
}

/** Detects callers who close the connection before their answer. */
import type { FastifyReply } from 'fastify';

/** Returns a signal that is aborted when the caller closes the connection before the answer is sent. */
export function hangUpSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  if (raw.destroyed) controller.abort();
  return controller.signal;
}

/** Acts when the connection of the answer closes, immediately if it is closed already. */
export function onClose({ raw }: FastifyReply, act: () => void): void {
  if (raw.closed) act();
  else raw.once('close', act);
}

/** Limits how many long answers are sent at once: each occupies a place until it is closed. */
import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import type { AppError } from '../values/errors.ts';
import type { Shares } from '../work/shares.ts';

/** Counts an answer of this owner until it is closed. Waits for a place, and throws an AppError when none comes free in time. */
export type AdmitReply = (owner: string, reply: FastifyReply) => Promise<void>;

export function createReplyPlaces(places: Shares, refuseLate: () => AppError): AdmitReply {
  return (owner, { raw }) =>
    new Promise((admit, refuse) => {
      const run = async (): Promise<void> => {
        admit();
        // A caller who hung up while waiting has closed the answer already.
        if (!raw.closed) await once(raw, 'close');
      };
      places.within(owner, run).catch(() => refuse(refuseLate()));
    });
}

/** Stores the network's answers to the messages of a source. */
import type { TenantTx } from '../../platform/store/tenant.ts';
import { returnPlaces } from '../inboxes/portfolio.ts';
import { holdUnsent, settle, type Answered } from '../messages/settle.ts';
import { createAnswerBatches, type AnswerBatches } from './answer-batches.ts';
import { toPlace } from './portion.ts';
import { holdOverloaded } from './sender.ts';
import type { Candidate, Outcome, SendSource } from './source.ts';

export const createOutcomes = <C extends Candidate>(source: SendSource<C>): AnswerBatches<Outcome<C>> =>
  createAnswerBatches(source.kit.log, source.name, (outcomes) =>
    source.acting.tx((tx) => storeOutcomes(tx, source, outcomes)),
  );

/** Messages come first and the rows after them, as everywhere, so that two transactions never wait for each other. */
async function storeOutcomes<C extends Candidate>(
  tx: TenantTx,
  source: SendSource<C>,
  outcomes: Outcome<C>[],
): Promise<void> {
  const { kit, sender } = source;
  const { channel, inbox, credentials, portfolio, lane } = sender;
  const answers = outcomes.flatMap(({ call, result, again }): Answered[] =>
    again !== null || result.outcome === 'unknown' ? [] : [{ message: call.message, result, place: toPlace(call) }],
  );
  const free: Parameters<typeof returnPlaces>[2] = [];
  let noted = outcomes;
  await source.settle(tx, outcomes, async () => {
    free.push(...(await settle(kit, tx, { channel, inbox: inbox._id, credentials }, answers)).free);
    const again = outcomes.filter((outcome) => outcome.again !== null).map(({ call }) => call.message);
    const unsent = await holdUnsent(tx, again);
    // A message that a status has settled meanwhile is not sent again.
    noted = outcomes.filter((outcome) => outcome.again === null || unsent.has(outcome.call.message));
    return noted;
  });
  await returnPlaces(tx, portfolio, free);
  await holdOverloaded(
    tx,
    lane,
    outcomes.map(({ call, again }) => ({ again, person: call.to.value })),
  );
  await source.finishOutcomes?.(tx, noted);
}

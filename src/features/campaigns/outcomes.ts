/** Stores the network's answers to the messages of a campaign. What becomes of a message becomes of its enrollment by a trigger of the database. */
import type { Kit } from '../../kit.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { createAnswerBatches, type AnswerBatches } from '../bulk/answer-batches.ts';
import { holdOverloaded, toPerson } from '../bulk/sender.ts';
import { returnPlaces } from '../inboxes/portfolio.ts';
import { settleMany, type Answered } from '../messages/send-many.ts';
import { sendLater } from './portion-queries.ts';
import type { CallOutcome, Run } from './run.ts';

// After how long a message is tried again that the network has refused because of a rate limit. The number or the pair pauses meanwhile.
const RETRY_SECONDS = 5;

export const createOutcomes = (kit: Kit, run: Run): AnswerBatches<CallOutcome> =>
  createAnswerBatches(kit.log, `campaign ${run.campaign._id}`, (outcomes) =>
    run.acting.tx((tx) => storeOutcomes(kit, tx, run, outcomes)),
  );

/** Messages come first and enrollments after them, as everywhere, so that two transactions never wait for each other. */
async function storeOutcomes(kit: Kit, tx: TenantTx, { sender }: Run, outcomes: CallOutcome[]): Promise<void> {
  const { channel, inbox, credentials, portfolio, lane } = sender;
  const settled = outcomes.filter(({ again }) => again === null);
  const answers = settled.flatMap(({ call, result }): Answered[] =>
    result.outcome === 'unknown' ? [] : [{ message: call.message, result }],
  );
  await settleMany(kit, tx, { channel, inbox: inbox._id, credentials }, answers);
  const later = outcomes.flatMap(({ call: { enrollment }, again }) =>
    again === null ? [] : [{ enrollment, seconds: again === 'stop' ? 0 : RETRY_SECONDS, isRefused: again !== 'stop' }],
  );
  if (later.length > 0) await sendLater(tx, later);
  const refused = settled.filter(({ result }) => result.outcome === 'rejected');
  await returnPlaces(
    tx,
    portfolio,
    refused.map(({ call: { phone, reached_at, reached_before } }) => ({
      person: toPerson(phone),
      reached_at,
      reached_before,
    })),
  );
  await holdOverloaded(
    tx,
    lane,
    outcomes.map(({ call, again }) => ({ again, person: toPerson(call.phone) })),
  );
}

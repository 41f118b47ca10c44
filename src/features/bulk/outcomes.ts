/** Stores the network's answers to the messages of a run. */
import type { SendResult } from '../../channels/channel.ts';
import type { Overload } from '../../channels/limits.ts';
import type { Kit } from '../../kit.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { returnPlaces } from '../inboxes/portfolio.ts';
import { settle, type Answered } from '../messages/settle.ts';
import { createAnswerBatches, type AnswerBatches } from './answer-batches.ts';
import { addCounts } from './queries.ts';
import { recordOutcomes, type ReadyRow, type RowFault, type RowOutcome } from './row-queries.ts';
import type { Running } from './running.ts';
import { holdOverloaded, toPerson } from './sender.ts';

/** A message that the network was called for. */
export interface Outcome {
  ready: ReadyRow;
  result: SendResult;
  /** Why the message is sent later: a rate limit of the network, or the stop of the process. Null when the message is not sent again. */
  again: Overload | 'stop' | null;
}

export const UNKNOWN_OUTCOME: RowFault = {
  code: 'OUTCOME_UNKNOWN',
  message:
    'The network was called, but its answer is unknown. The message is not sent again; its status may still show the outcome',
};

export const createOutcomes = (kit: Kit, running: Running): AnswerBatches<Outcome> =>
  createAnswerBatches(kit.log, `bulk run ${running.run._id}`, (outcomes) =>
    running.acting.tx((tx) => storeOutcomes(kit, tx, running, outcomes)),
  );

async function storeOutcomes(kit: Kit, tx: TenantTx, running: Running, outcomes: Outcome[]): Promise<void> {
  const { run, inbox, channel, credentials, portfolio } = running;
  const rows = outcomes.map(toRow);
  const sent = rows.filter(({ status }) => status === 'SENT').length;
  const errors = rows.filter(({ status }) => status === 'FAILED' || status === 'UNKNOWN').length;
  tx.awaitAtCommit(recordOutcomes(tx, run._id, rows));
  const settled = outcomes.filter(({ again }) => again === null);
  const answers = settled.flatMap(({ ready, result }): Answered[] =>
    result.outcome === 'unknown' ? [] : [{ message: ready.message, result, place: toPlace(ready) }],
  );
  const { free } = await settle(kit, tx, { channel, inbox: inbox._id, credentials }, answers);
  await returnPlaces(tx, portfolio, free);
  await holdOverloaded(
    tx,
    running.lane,
    outcomes.map(({ ready, again }) => ({ again, person: toPerson(ready.phone) })),
  );
  // The run is locked last, as where messages are stored: otherwise each of the two would wait for the whole work of the other.
  tx.awaitAtCommit(addCounts(tx, run._id, { sent, errors }));
}

/** The place in the daily limit that was reserved for a row. */
export const toPlace = ({
  phone,
  reached_at,
  reached_before,
}: Pick<ReadyRow, 'phone' | 'reached_at' | 'reached_before'>) => ({
  person: toPerson(phone),
  reached_at,
  reached_before,
});

function toRow({ ready: { row }, result, again }: Outcome): RowOutcome {
  const base = { row, error: null, network_status: null };
  if (result.outcome === 'accepted') return { ...base, status: 'SENT', network_status: result.held ?? null };
  if (result.outcome === 'unknown') return { ...base, status: 'UNKNOWN', error: UNKNOWN_OUTCOME };
  if (again !== null) return { ...base, status: 'READY' };
  const { code, title, message, details } = result.error;
  return {
    ...base,
    status: 'FAILED',
    error: { code, message: details || message || title || 'The network rejected it' },
  };
}

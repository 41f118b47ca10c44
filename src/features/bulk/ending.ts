/** Ends a bulk run: fails the contacts to whom nothing is sent any more, and settles the rows whose outcome is unknown. */
import { returnPlaces } from '../inboxes/portfolio.ts';
import { failUnsent } from '../messages/settle.ts';
import { SourceLost } from '../sends/source.ts';
import type { Fault } from '../sends/schemas.ts';
import { toPerson } from '../sends/sender.ts';
import { UNKNOWN_OUTCOME } from './plan.ts';
import { addCounts, completeRun } from './queries.ts';
import { failRest, keepRun, settleCalling } from './row-queries.ts';
import type { Running } from './source.ts';

/** Fails all contacts to whom nothing was sent yet, because the network would refuse all of them for this reason. */
export async function failRemaining({ acting, run, holder, sender }: Running, fault: Fault): Promise<void> {
  await acting.tx(async (tx) => {
    if (!(await keepRun(tx, { _id: run._id, holder }))) throw new SourceLost();
    const rest = await failRest(tx, run._id, fault);
    const messages = rest.flatMap(({ message }) => message ?? []);
    await failUnsent(tx, messages, { code: fault.code, title: 'Not sent', message: fault.message, details: '' });
    await returnPlaces(
      tx,
      sender.portfolio,
      rest.map(({ phone, ...place }) => ({ person: toPerson(phone), ...place })),
    );
    await addCounts(tx, run._id, { sent: 0, errors: rest.length });
  });
}

/** Settles the rows that an earlier process has left unfinished, when a run is taken over or ends. */
export async function settleLeft({ acting, run }: Pick<Running, 'acting' | 'run'>): Promise<void> {
  await acting.tx(async (tx) => addCounts(tx, run._id, await settleCalling(tx, run._id, UNKNOWN_OUTCOME)));
}

/** Returns false when another process has taken the run over. */
export async function endRun(running: Running, holder: string): Promise<boolean> {
  await settleLeft(running);
  const { acting, run } = running;
  return (await acting.tx((tx) => completeRun(tx, { _id: run._id, holder }))) > 0;
}

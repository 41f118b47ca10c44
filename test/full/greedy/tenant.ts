/** Runs the greedy company in its own process, so that its own cost is not counted as the cost of the platform. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';
import { GREEDS } from './greeds.ts';
import { startGreedyRun, type GreedyOrders } from './play.ts';

// A real attacker uses another machine. Here the attacker and the platform share one machine, so the attacker gets a lower priority.
setPriority(getPriority() + 5);
// Failure policy: a system that does not schedule by sessions has no such file; the priority set above is enough there.
await writeFile('/proc/self/autogroup', String(getPriority())).catch(() => undefined);
process.once('disconnect', () => process.exit());
for (;;) {
  const [orders] = (await once(process, 'message')) as [GreedyOrders];
  await runGreed(orders);
}

async function runGreed(orders: GreedyOrders): Promise<void> {
  const greed = GREEDS[orders.name];
  if (!greed) throw new Error(`no such greed: ${orders.name}`);
  const company = startGreedyRun(orders);
  await greed.prepare?.(company);
  Object.assign(company.spoils, { statuses: {}, slowestMs: 0 });
  const begun = once(process, 'message');
  process.send?.('prepared');
  await begun;
  const ended = once(process, 'message');
  const acting = greed.act(company);
  await ended;
  await company.end();
  await acting;
  process.send?.(company.spoils);
}

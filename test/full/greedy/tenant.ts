/** The greedy company as a process of its own, so that what it costs itself is not taken for what the platform costs. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';
import { GREEDS } from './greeds.ts';
import { openPlay, type Orders } from './play.ts';

// An attacker brings a machine of his own: what his costs, on the machine that both share here, is not what the platform has to answer for.
setPriority(getPriority() + 5);
// Failure policy: a system that does not share its processor among sessions has no such file, and the line above is enough.
await writeFile('/proc/self/autogroup', String(getPriority())).catch(() => undefined);
process.once('disconnect', () => process.exit());
for (;;) {
  const [orders] = (await once(process, 'message')) as [Orders];
  await play(orders);
}

async function play(orders: Orders): Promise<void> {
  const greed = GREEDS[orders.name];
  if (!greed) throw new Error(`no such greed: ${orders.name}`);
  const company = openPlay(orders);
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

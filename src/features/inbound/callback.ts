/** A signed callback of the Cloud API, from bytes to the store. */
import type { Inbound } from '../../channels/channel.ts';
import type { Kit } from '../../kit.ts';
import { newId } from '../../platform/ids.ts';
import type { Intake } from './intake.ts';
import { insertAside } from './queries.ts';

export async function receiveCallback(kit: Kit, intake: Intake, raw: Buffer): Promise<void> {
  const channel = kit.channels.get('WAP_AUTO_CLOSER');
  let elements: Inbound[];
  try {
    elements = kit.channels.wap.parse(JSON.parse(raw.toString('utf8')));
  } catch (error) {
    // Failure policy: signed, so it is the network's; what is no JSON now will be none when repeated. Kept, and answered 200.
    await insertAside(kit.database.system, {
      _id: newId(),
      channel: channel.name,
      address: null,
      reason: (error as Error).name,
      raw,
    });
    kit.metrics.inbound.inc({ channel: channel.name, outcome: 'aside' });
    return;
  }
  await intake.take(channel, elements, raw.length);
}

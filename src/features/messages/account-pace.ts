/** Spaces what an account sends, on networks that punish accounts which send too quickly. */
import type { Channel } from '../../channels/channel.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import type { Kit } from '../../kit.ts';
import { holdLane, takeFromBucket } from '../../platform/work/pacing.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { networkCredentials, type Credentials } from '../inboxes/connection.ts';
import { OVER_ACCOUNTS_DAY, tooSoon } from './blocks.ts';
import type { SendTarget } from './queries.ts';
import type { Cause } from './schemas.ts';

const DAY_SECONDS = 86_400;

const nameLane = ({ name }: Pick<Channel, 'name'>, account: string): string => `account ${name} ${account}`;

/** Takes the message out of the buckets of its account. Returns why it is not sent when one of them is empty. */
export async function takeTurn(
  kit: Kit,
  tx: TenantTx,
  { inbox }: Pick<SendTarget, 'inbox'>,
  channel: NamedChannel,
): Promise<Cause | null> {
  if (!channel.can.paced) return null;
  const credentials = await networkCredentials(kit, tx, inbox);
  const pace = credentials && channel.readPace?.(credentials.settings);
  if (!pace) return null;
  const heldBy = nameLane(channel, pace.account);
  const { least, most } = pace.gapSeconds;
  const gapSeconds = least + Math.random() * (most - least);
  const depthSeconds = ((pace.burst - 1) * (least + most)) / 2;
  const soon = await takeFromBucket(tx, { lane: heldBy, depthSeconds, gapSeconds, heldBy });
  if (soon > 0) return tooSoon(soon);
  // Half at once and half in the course of a day: no moving day has more.
  const half = Math.max(1, Math.floor(pace.perDay / 2));
  const apart = DAY_SECONDS / half;
  const day = { lane: `day ${heldBy}`, depthSeconds: (half - 1) * apart, gapSeconds: apart, heldBy };
  return (await takeFromBucket(tx, day)) > 0 ? OVER_ACCOUNTS_DAY : null;
}

/** Lets the account pause after its network has refused a message because of a rate limit. */
export async function holdAccount(
  tx: TenantTx,
  channel: Channel,
  { settings }: Credentials,
  code: number | string,
): Promise<void> {
  if (!channel.can.paced || channel.findOverload?.(code) !== 'account') return;
  const pace = channel.readPace?.(settings);
  if (pace) await holdLane(tx, 'account', nameLane(channel, pace.account));
}

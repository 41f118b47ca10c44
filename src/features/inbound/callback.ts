/** Handles a signed callback of a network, from its bytes to the store. */
import type { Inbound } from '../../channels/channel.ts';
import type { CalledChannel } from '../../channels/registry.ts';
import type { Kit } from '../../kit.ts';
import { sameText } from '../../platform/secrets.ts';
import { isVerifyToken } from '../inboxes/verify-token.ts';
import type { Intake } from './intake.ts';

/** The channels whose networks call this process. */
export const calledChannels = ({ channels }: Kit): CalledChannel[] =>
  channels.all().filter((channel): channel is CalledChannel => channel.callbacks !== undefined);

export async function receiveCallback(kit: Kit, intake: Intake, channel: CalledChannel, raw: Buffer): Promise<void> {
  // Before parsing: the network repeats a callback that was answered 503.
  kit.storage.admit();
  intake.admit(channel, channel.callbacks.firstAddress(raw), raw.length);
  await intake.take(channel, raw.length, translate(channel, raw));
}

/** A generator, so that the JSON is parsed only when the first element is requested. */
function* translate({ callbacks }: CalledChannel, raw: Buffer): Generator<Inbound | null> {
  try {
    yield* callbacks.parse(JSON.parse(raw.toString('utf8')));
  } catch (error) {
    // Failure policy: the signature shows that the network sent this. It is not JSON now and would not be when repeated, so it is kept
    // aside and answered 200.
    yield { kind: 'unreadable', address: null, reason: (error as Error).name, raw };
  }
}

/** Returns true for the verification token of the installation and for the token of an inbox. */
export async function isOurToken(kit: Kit, token: string): Promise<boolean> {
  return sameText(token, kit.config.WAP_VERIFY_TOKEN) || isVerifyToken(kit, token);
}

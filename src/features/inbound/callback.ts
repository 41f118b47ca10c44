/** A signed callback of the Cloud API, from bytes to the store. */
import type { Inbound } from '../../channels/channel.ts';
import type { Kit } from '../../kit.ts';
import { sameText } from '../../platform/secrets.ts';
import { isVerifyToken } from '../inboxes/verify-token.ts';
import type { Intake } from './intake.ts';
import type { Handshake } from './schemas.ts';

export async function receiveCallback(kit: Kit, intake: Intake, raw: Buffer): Promise<void> {
  // Before it is parsed: the network comes again with a callback that was answered 503.
  kit.storage.admit();
  const channel = kit.channels.get('WAP_AUTO_CLOSER');
  intake.admit(channel, firstAddress(raw), raw.length);
  await intake.take(channel, raw.length, translate(kit, raw));
}

/** Whose callback it seems to be, without parsing megabytes; empty where that is not to be seen. */
function firstAddress(raw: Buffer): string {
  const at = raw.indexOf('"phone_number_id"');
  if (at === -1) return '';
  return /^"phone_number_id"\s*:\s*"([^"\\]{1,64})"/.exec(raw.toString('latin1', at, at + 128))?.[1] ?? '';
}

/** Not even the JSON is read before the first element is asked for. */
function* translate(kit: Kit, raw: Buffer): Generator<Inbound | null> {
  try {
    yield* kit.channels.wap.parse(JSON.parse(raw.toString('utf8')));
  } catch (error) {
    // Failure policy: signed, so it is the network's; what is no JSON now will be none when repeated. Kept, and answered 200.
    yield { kind: 'unreadable', address: null, reason: (error as Error).name, raw };
  }
}

/** True when the network asks whether the address is ours, with the installation's token or with one that an inbox told it. */
export async function isVerified(kit: Kit, query: Handshake): Promise<boolean> {
  const token = query['hub.verify_token'] ?? '';
  if (query['hub.mode'] !== 'subscribe') return false;
  return sameText(token, kit.config.WAP_VERIFY_TOKEN) || isVerifyToken(kit, token);
}

/** Handles a signed callback of the Cloud API, from its bytes to the store. */
import type { Inbound } from '../../channels/channel.ts';
import type { Kit } from '../../kit.ts';
import { sameText } from '../../platform/secrets.ts';
import { isVerifyToken } from '../inboxes/verify-token.ts';
import type { Intake } from './intake.ts';
import type { Handshake } from './schemas.ts';

export async function receiveCallback(kit: Kit, intake: Intake, raw: Buffer): Promise<void> {
  // Before parsing: the network repeats a callback that was answered 503.
  kit.storage.admit();
  const channel = kit.channels.get('WAP_AUTO_CLOSER');
  intake.admit(channel, firstAddress(raw), raw.length);
  await intake.take(channel, raw.length, translate(kit, raw));
}

/** Reads the address of the callback's first inbox without parsing megabytes; returns an empty string when there is none. */
function firstAddress(raw: Buffer): string {
  const at = raw.indexOf('"phone_number_id"');
  if (at === -1) return '';
  return /^"phone_number_id"\s*:\s*"([^"\\]{1,64})"/.exec(raw.toString('latin1', at, at + 128))?.[1] ?? '';
}

/** A generator, so that the JSON is parsed only when the first element is requested. */
function* translate(kit: Kit, raw: Buffer): Generator<Inbound | null> {
  try {
    yield* kit.channels.wap.parse(JSON.parse(raw.toString('utf8')));
  } catch (error) {
    // Failure policy: the signature shows that the network sent this. It is not JSON now and would not be when repeated, so it is kept
    // aside and answered 200.
    yield { kind: 'unreadable', address: null, reason: (error as Error).name, raw };
  }
}

/** True when the network verifies this address with the installation's token or with the token of an inbox. */
export async function isVerified(kit: Kit, query: Handshake): Promise<boolean> {
  const token = query['hub.verify_token'] ?? '';
  if (query['hub.mode'] !== 'subscribe') return false;
  return sameText(token, kit.config.WAP_VERIFY_TOKEN) || isVerifyToken(kit, token);
}

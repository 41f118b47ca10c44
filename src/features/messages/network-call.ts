/** The one call to the network that sends a stored message. */
import type { Channel, OutboundMessage, SendResult } from '../../channels/channel.ts';
import type { Kit } from '../../kit.ts';
import type { Credentials } from '../inboxes/connection.ts';
import type { Message, PlatformCause } from './schemas.ts';

// The time-out of the call to the network, with all its tries.
const CALL_MS = 10_000;

/** The arguments of the call. They are collected before the message is stored, so that afterwards only the call can fail. */
export interface Call {
  channel: Channel;
  /** The message as it is stored. */
  stored: Message;
  /** The message as the network gets it. */
  outbound: OutboundMessage;
  credentials: Credentials | null;
}

/** Never throws. */
export async function callNetwork(kit: Kit, call: Call): Promise<SendResult> {
  const result = await callOnce(kit, call);
  kit.metrics.sends.inc({ channel: call.channel.name, outcome: result.outcome });
  return result;
}

async function callOnce(kit: Kit, { channel, outbound, credentials }: Call): Promise<SendResult> {
  if (!channel.send || !credentials) return rejected('PROVIDER_REJECTED', 'The inbox has no settings to send with');
  try {
    return await channel.send(outbound, credentials.settings, AbortSignal.timeout(CALL_MS));
  } catch (error) {
    // Failure policy: a channel that throws may already have called the network, so the outcome is unknown and nothing is sent again.
    kit.log.error({ err: error, message_id: outbound.messageId }, 'send: the channel failed');
    return { outcome: 'unknown' };
  }
}

const rejected = (code: PlatformCause, message: string): SendResult => ({
  outcome: 'rejected',
  error: { code, title: 'Not sent', message, details: '' },
  network: false,
});

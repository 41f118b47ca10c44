/** What the steps of ingestion hand to each other. */
import type { Channel, InboundMessage } from '../../channels/channel.ts';
import type { Receiver } from '../inboxes/ingest-queries.ts';

/** A message of the network with the inbox that receives it. */
export interface Arrival {
  receiver: Receiver;
  channel: Channel;
  message: InboundMessage;
}

/** An arrival that is new to the store, with what it belongs to. */
export interface Placed extends Arrival {
  contact: string;
  conversation: string;
}

// A clock of the network that runs ahead must not open a window that is longer than it says.
export function saidAt(message: { timestamp: Date }): string {
  return new Date(Math.min(message.timestamp.getTime(), Date.now())).toISOString();
}

/** True for what the contact has just written; notices, echoes and old messages are not. */
export const isFromContact = ({ message }: Arrival): boolean =>
  message.origin === 'live' && !message.fromBusiness && !message.system;

/** The records that the steps of ingestion pass to each other. */
import type { InboundMessage, InboundReport } from '../../channels/channel.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import type { Receiver } from '../inboxes/ingest-queries.ts';

/** A message of the network, and the inbox that receives it. */
export interface ArrivedMessage {
  receiver: Receiver;
  channel: NamedChannel;
  message: InboundMessage;
}

/** A report, and the inbox in which it arrived. */
export interface ArrivedReport {
  receiver: Receiver;
  channel: NamedChannel;
  report: InboundReport;
}

/** An arrival that is not stored yet, with its contact and its conversation. */
export interface PlacedMessage extends ArrivedMessage {
  contact: string;
  conversation: string;
}

// Returns the time of a message, at most the present time, because a network clock that runs ahead must not make the 24-hour window longer.
export function messageTime(message: { timestamp: Date }): string {
  return new Date(Math.min(message.timestamp.getTime(), Date.now())).toISOString();
}

/** The network's id of the message that this one answers or reacts to. */
export const findAnswered = (message: InboundMessage): string | null =>
  message.contentType === 'REACTION' ? message.reaction.externalId : message.replyTo;

/** Returns true for a message that the contact has just written; false for notices, echoes and history. */
export const isFromContact = ({ message }: ArrivedMessage): boolean =>
  message.origin === 'live' && !message.fromBusiness && !message.system;

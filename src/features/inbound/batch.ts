/** The records that the steps of ingestion pass to each other. */
import type { InboundMessage, InboundReport } from '../../channels/channel.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import { readPressed } from '../csat/buttons.ts';
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

// Networks with whole seconds leave open when in that second a message was written.
const END_OF_SECOND_MS = 999;

/**
 * Returns the time by which a message is placed among the others of its conversation: when it was written, however late it arrived. Within a
 * second that the network states without a fraction, the order of arrival counts, so a quick reply stays behind the message that it answers.
 */
export function placeInTime({ timestamp, origin }: InboundMessage, now: string): string {
  const said = timestamp.getTime();
  const latest = origin !== 'history' && said % 1000 === 0 ? said + END_OF_SECOND_MS : said;
  return new Date(Math.min(latest, Date.parse(now))).toISOString();
}

/** The network's id of the message that this one answers or reacts to. */
export const findAnswered = (message: InboundMessage): string | null =>
  message.contentType === 'REACTION' ? message.reaction.externalId : message.replyTo;

/** Returns true for a reaction, and for the answer to a satisfaction survey. They are stored, shown and reported, and open the window of their network. */
export const wantsNoAnswer = ({ message }: ArrivedMessage): boolean =>
  message.contentType === 'REACTION' || readPressed(message) !== null;

/** Returns true for what opens the window of the network: what the contact has just written, and a reaction that is not taken back. */
export const opensWindow = ({ message }: ArrivedMessage): boolean =>
  message.origin === 'live' &&
  !message.fromBusiness &&
  !message.system &&
  !(message.contentType === 'REACTION' && message.reaction.emoji === null);

/** Returns true for what the contact has just written; false for notices, echoes, history and what wants no answer. */
export const isFromContact = (arrival: ArrivedMessage): boolean => opensWindow(arrival) && !wantsNoAnswer(arrival);

/** Returns true for what a person has just written in the business app. */
export const isFromBusinessApp = (arrival: ArrivedMessage): boolean =>
  arrival.message.origin === 'echo' && !wantsNoAnswer(arrival);

/** Returns true for a message that opens a conversation when there is none. Others join the latest one, also a closed one. */
export const opensConversation = (arrival: ArrivedMessage): boolean =>
  arrival.message.origin !== 'history' && !wantsNoAnswer(arrival);

/** The port for networks on which the senders make up the ids of messages, so that two messages may have the same one. */

/** Tells a repeated message from another one with the same id. */
export interface DistinctId {
  /** The id of the first of the messages that arrived together. */
  firstId: string;
  /** A hash of what arrived. */
  digest: string;
  /** The id of this message when a message with `firstId` and another digest is stored. */
  otherId: string;
}

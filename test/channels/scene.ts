/** What a channel has to show of its network, so that the same promises are tested on every channel. */
import type { ChannelName } from '../../src/channels/registry.ts';
import type { Json, Platform } from '../support/platform.ts';

export interface WrittenMessage {
  /** The person, as `makePerson` has named them. */
  from: string;
  name?: string;
  /** The network's id of an earlier message: the network reports that one once more. */
  id?: string;
  text?: string;
  picture?: Buffer;
}

export type ReportedStatus = 'DELIVERED' | 'READ' | 'FAILED';

/** A message as its network knows it. */
export interface KnownMessage {
  external_id: string;
  _id?: string;
  person: string;
}

/**
 * cut: the connection is closed after the whole request was sent · hung: the request is never answered · refused: the network refuses the
 * message.
 */
export type Fault = 'cut' | 'hung' | 'refused';

/** An inbox of a channel with its network behind it. What is null does not exist on the network. */
export interface Scene {
  inbox: string;
  makePerson(): Promise<string>;
  /** What the record of a person shows who has written with this name. */
  describeContact(person: string, name: string): Json;
  /** Makes a person write. Returns the network's id of the message once the platform has been told of it. */
  write(message: WrittenMessage): Promise<string>;
  /** The texts and captions that the network has taken for a person, the oldest first. */
  listTaken(person: string): Promise<string[]>;
  /** The file that the network has taken last for this person. */
  readTaken(person: string, sent: Json): Promise<Buffer>;
  /** What the network gets before the words of the operator Olga, and whether that counts towards the 4,096 characters of a text. */
  olga: { before: string; counts: boolean };
  /** Lets a network forget how much was sent a moment ago. */
  rest?(): Promise<unknown>;
  /** The statuses that the network reports of sent messages. */
  reports: readonly ReportedStatus[];
  report(message: KnownMessage, status: ReportedStatus): Promise<unknown>;
  /** Hands a message back that the platform has sent. */
  returnOwn: ((message: KnownMessage) => Promise<unknown>) | null;
  /** Makes somebody of the business write to a person in another program. Returns the network's id of the message. */
  writeElsewhere: ((message: { to: string; text: string; id?: string }) => Promise<string>) | null;
  /** Breaks the next message to a person. */
  breakNext: ((fault: Fault, person: string) => Promise<unknown>) | null;
  /** Resolves once the network has met the fault that was set last. */
  awaitFault(): Promise<unknown>;
  /** Posts bytes where the network would, with its signature or secret. Returns the status of the answer. */
  post(raw: string): Promise<number>;
  /** Bodies that are almost those of the network. */
  broken: readonly string[];
  /** An inbox whose network has the template hello_world in en_US, which takes no values. */
  templates: { inbox: string; listTaken(): Promise<string[]> } | null;
}

export type OpenScene = (platform: Platform) => Promise<Scene>;

/** A channel without an entry does not compile. */
export type Scenes = Record<ChannelName, OpenScene>;

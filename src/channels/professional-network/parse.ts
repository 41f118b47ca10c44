/**
 * Reads the events of the gateway. Each comes by itself, and is about the account that it names. An event that the platform ignores yields
 * null, and one that cannot be read is kept aside.
 */
import type { Inbound, InboundStatus } from '../channel.ts';
import { asIdentifier, asRecord, asText, type Json } from '../values.ts';
import { makeUnreadable, type Scene } from '../scene.ts';
import { readContents } from './content.ts';
import { readMessage, readReaction } from './message.ts';
import { readTalk, type Talk } from './talk.ts';

type Reader = (event: Json, talk: Talk) => Iterable<Inbound | null>;

/** Reads one event. Never throws for a parsed JSON value. */
export function* parseEvent(body: unknown): Generator<Inbound | null> {
  const now = new Date();
  const event = asRecord(body);
  const status = asRecord(event?.AccountStatus);
  const address = asIdentifier(status?.account_id ?? event?.account_id);
  const scene: Scene = { address: address ?? '', now };
  if (!event || address === null) return yield makeUnreadable(scene, 'the body is no event of the gateway', body);
  // The state may be old when it arrives, so it is a hint to ask for the present one.
  if (status) return yield { kind: 'connection', address, timestamp: now };
  const read = READERS.get(asText(event.event) ?? '');
  if (!read) return yield null;
  const talk = readTalk(event, scene);
  if ('kind' in talk) return yield talk;
  // What is said in a group never enters a private conversation.
  if (talk.isGroup) return yield null;
  yield* read(event, talk);
}

function createStatusReader(status: InboundStatus['status']): Reader {
  return function* readStatus(event, { scene, externalId, isOurs, person }) {
    // The contact's messages have such events as well, when someone of the company reads them at the network.
    if (!isOurs) return yield null;
    const errors = status === 'FAILED' ? [readFailure(event)] : [];
    const { address, now: timestamp } = scene;
    yield { kind: 'status', address, timestamp, externalId, messageId: null, person, status, errors };
  };
}

function readFailure(event: Json) {
  const failure = asRecord(event.error) ?? event;
  const message = asText(failure.title) ?? asText(failure.detail) ?? 'The network gave no cause';
  return {
    code: asText(failure.type) ?? 'PROVIDER_REJECTED',
    title: 'Not delivered',
    message: message.slice(0, 500).toWellFormed(),
    details: asText(failure.detail)?.slice(0, 500).toWellFormed() ?? '',
  };
}

const readEdit: Reader = function* (event, { scene, externalId }) {
  const [content] = readContents(event, externalId);
  const { address, now: timestamp } = scene;
  if (!content || content.contentType === 'UNSUPPORTED')
    return yield makeUnreadable(scene, 'the new content of an edit is not understood', event);
  yield { kind: 'edit', address, timestamp, externalId, originalExternalId: externalId, from: null, content };
};

const readDelete: Reader = function* (_event, { scene: { address, now: timestamp }, externalId }) {
  yield { kind: 'revoke', address, timestamp, externalId, originalExternalId: externalId };
};

const READERS = new Map<string, Reader>([
  ['message_received', readMessage],
  ['message_reaction', readReaction],
  ['message_read', createStatusReader('READ')],
  ['message_delivered', createStatusReader('DELIVERED')],
  ['message_failed', createStatusReader('FAILED')],
  ['message_edited', readEdit],
  ['message_deleted', readDelete],
]);

/** The events that the gateway is asked for. It has no name for failures, and tells of them without being asked. */
export const EVENTS = [...READERS.keys()].filter((name) => name !== 'message_failed');

const ACCOUNT = /"account_id"\s*:\s*"([^"\\]{1,200})"/;

/** The account in an event, found without parsing it. */
export const findAccount = (raw: Buffer): string => ACCOUNT.exec(raw.toString('latin1'))?.[1] ?? '';

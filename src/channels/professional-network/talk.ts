/** What every event about a message says: which message it is, who wrote it, and to whom. */
import type { InboundUnreadable } from '../channel.ts';
import type { Person } from '../identity.ts';
import { asElements, asIdentifier, asRecord, asText, type Json } from '../values.ts';
import { makeUnreadable, type Scene } from '../scene.ts';
import { isSet } from './content.ts';
import { readAttendee } from './person.ts';

export interface Talk {
  scene: Scene;
  externalId: string;
  chat: string | null;
  /** True when the account itself wrote the message, from whatever device. */
  isOurs: boolean;
  isGroup: boolean;
  /** The other side of the chat; without a name where the event does not name it. */
  person: Person;
}

export function readTalk(event: Json, scene: Scene): Talk | InboundUnreadable {
  const externalId = asIdentifier(event.message_id);
  if (externalId === null) return makeUnreadable(scene, 'an event names no message', event);
  const chat = asIdentifier(event.chat_id);
  const sender = asRecord(event.sender);
  const isOurs = isAccountItself(sender, event);
  // Some events name the account itself among the attendees.
  const own = asText(asRecord(event.account_info)?.user_id) || null;
  const others = asElements(event.attendees, ['attendee_provider_id']).filter(
    ({ attendee_provider_id: id }) => own === null || asText(id) !== own,
  );
  const other = isOurs ? (others[0] ?? null) : sender;
  return {
    scene,
    externalId,
    chat,
    isOurs,
    isGroup: isSet(event.is_group) || others.length > 1,
    person: readAttendee(other, scene.address, chat),
  };
}

/** The flag `is_sender` is missing in some events, so the ids of the sender and of the account decide where both are there. */
export function isAccountItself(sender: Json | null, event: Json): boolean {
  const [own, writer] = [asText(asRecord(event.account_info)?.user_id), asText(sender?.attendee_provider_id)];
  return own && writer ? own === writer : isSet(event.is_sender);
}

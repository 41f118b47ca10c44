/**
 * Reads the addresses of chats (JIDs): `5585991230001@s.whatsapp.net` is a person by phone number, `2471…@lid` a person by an id that hides the
 * number, and other servers are groups, lists and channels.
 */
import { declareIdentity, PHONE_NUMBER, type Identity, type Person } from '../identity.ts';
import { asIdentifier, type Json } from '../values.ts';

/** The id by which WhatsApp names a person whose phone number it hides. */
export const LID_NAME = declareIdentity({ kind: 'LID', writing: /^\d{5,20}@lid$/, sample: '247163829104756@lid' });

/** The number of a device may stand behind the number of the person. */
const PERSON = /^(\d{5,15})(?::\d+)?(?:@(?:s\.whatsapp\.net|c\.us))?$/;
const HIDDEN_PERSON = /^(\d{5,20})(?::\d+)?@lid$/;
/** A chat of several people. An address of 18 digits or more without a server is one as well. */
const OTHER_CHAT = /@(?:g\.us|broadcast|newsletter|bot)$|^\d{18,}$/;

export const isOtherChat = (jid: string): boolean => OTHER_CHAT.test(jid);

/** Returns the number or LID of the person with this JID; null for the JID of a group or of another chat that is no person. */
function readName(value: unknown): Identity | null {
  const jid = asIdentifier(value) ?? '';
  const phone = PERSON.exec(jid)?.[1];
  if (phone !== undefined) return PHONE_NUMBER.identify(phone);
  const hidden = HIDDEN_PERSON.exec(jid)?.[1];
  return hidden === undefined ? null : LID_NAME.identify(`${hidden}@lid`);
}

/** Reads the person of a chat from the key of a message, which may have the phone number next to the hidden id. */
export function readPerson(key: Json): Person {
  const names = [key.remoteJid, key.remoteJidAlt, key.senderPn].map(readName).filter((name) => name !== null);
  const place = ({ kind }: Identity): number => (kind === PHONE_NUMBER.kind ? 0 : 1);
  const distinct = new Map(names.map((name) => [`${name.kind} ${name.value}`, name]));
  return { names: [...distinct.values()].toSorted((a, b) => place(a) - place(b)) };
}

/** Returns the address of a chat for the gateway; a phone number is sent without a server. */
export const toNumber = ({ names: [name] }: Person): string | null => name?.address ?? null;

/** Returns the full address of a chat, where the gateway does not complete it. */
export function toJid({ names: [name] }: Person): string | null {
  if (!name) return null;
  return name.kind === PHONE_NUMBER.kind ? `${name.address}@s.whatsapp.net` : name.address;
}

/** How WhatsApp names a contact, for people whose databases have its ids. */
import type { DoorLookUps } from '../../platform/outside/door-formats.ts';
import { phoneKey } from '../../platform/values/phone.ts';
import type { JsonObject } from '../json.ts';
import { toJid } from './jid.ts';

const HIDDEN = '@lid';
/** Ids that hide the number, the most common first. */
const HIDDEN_KINDS = ['LID', 'BSUID'];

/**
 * Returns the id of a contact: its number as the network writes it, or an id that hides the number. `shown` is its record, whose number is
 * preferred to others that the contact has.
 */
export async function findJid(
  contact: string,
  { phone_number }: JsonObject,
  lookUps: Pick<DoorLookUps, 'names'>,
): Promise<string> {
  const names = await lookUps.names(contact);
  const phones = names.filter(({ kind }) => kind === 'PHONE');
  const shown = phones.find(({ address }) => phone_number && phoneKey(address) === phoneKey(phone_number as string));
  const phone = shown?.address ?? (phone_number as string | null) ?? phones[0]?.address;
  if (phone) return toJid(phone);
  const hidden = HIDDEN_KINDS.flatMap((kind) => names.filter((name) => name.kind === kind))[0];
  const id = hidden?.address ?? contact;
  return id.endsWith(HIDDEN) ? id : `${id}${HIDDEN}`;
}

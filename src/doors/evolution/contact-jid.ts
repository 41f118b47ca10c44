/** WhatsApp's own id of a contact, which the databases of receivers have. */
import type { DoorLookUps } from '../../platform/outside/door-formats.ts';
import { phoneKey } from '../../platform/values/phone.ts';
import type { JsonObject } from '../json.ts';
import { toJid } from './jid.ts';

/**
 * Returns the id of a contact by its number as the network writes it. `shown` is its record, whose number is preferred to others that the
 * contact has. One without a number is named by its own id.
 */
export async function findJid(
  contact: string,
  { phone_number }: JsonObject,
  lookUps: Pick<DoorLookUps, 'phones'>,
): Promise<string> {
  const phones = await lookUps.phones(contact);
  const key = phone_number ? phoneKey(phone_number as string) : null;
  const phone = phones.find((each) => phoneKey(each) === key) ?? (phone_number as string | null) ?? phones[0];
  return phone ? toJid(phone) : `${contact}@lid`;
}

/** WhatsApp's own ids of people, which Evolution uses for numbers. */
import { isId } from '../../platform/values/ids.ts';
import type { JsonObject } from '../json.ts';

const PERSON = '@s.whatsapp.net';
const HIDDEN = '@lid';
/** Where an id ends like this, it names no person. */
const NO_PERSON = /@(?:g\.us|broadcast|newsletter)$/;

/** Returns the id of the person with a phone number; what is an id already stays as it is. */
export const toJid = (phone: string): string =>
  phone.includes('@') ? phone : `${phone.replaceAll(/\D/g, '')}${PERSON}`;

/** Returns the id of the contact of a record, by its number if it has one. */
export const findContactJid = (contact: string, { phone_number }: JsonObject): string =>
  phone_number ? toJid(phone_number as string) : `${contact}${HIDDEN}`;

export const namesNoPerson = (written: string): boolean => NO_PERSON.test(written.trim());

/** Whom a client has named, as operations name a recipient. */
export type Named = { phone: string } | { contact: string };

/** Reads a phone number in any form, or an id of WhatsApp. A number is always written with its country. */
export function readPerson(written: string): Named | null {
  // A device of a person has a number after a colon.
  const [name = ''] = written.trim().split(/[@:]/, 1);
  if (written.includes(HIDDEN)) return isId(name) ? { contact: name } : null;
  const digits = name.replaceAll(/\D/g, '');
  return digits === '' ? null : { phone: `+${digits}` };
}

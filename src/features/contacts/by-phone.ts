/** Finds or creates the contact of a phone number, for operations that are given only a number. */
import { PHONE_NUMBER } from '../../channels/identity.ts';
import { readCallersPhone } from '../../platform/store/phone-country.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { plainPhoneText } from '../../platform/values/phone-text.ts';
import { createByPhones } from './by-phones.ts';
import { findIdentityHolders } from './name-queries.ts';
import type { ContactSource } from './schemas.ts';

interface GivenPhone {
  /** The name of the contact, if it is created. */
  name: string | null;
  phone_number: string;
  country?: string | undefined;
  /** The request's field, for errors. */
  path: string;
}

/**
 * Returns the id of the contact with this phone number, in whatever format the number is written, and
 * creates the contact, with its event, when no contact has the number. An existing contact keeps its name.
 * Throws ChangedMeanwhile when another transaction creates it at the same moment; a retry then finds it.
 */
export async function findOrCreateByPhone(
  tx: TenantTx,
  source: ContactSource,
  { name, phone_number, country, path }: GivenPhone,
): Promise<string> {
  const shown = country === undefined ? await findByShownNumber(tx, phone_number) : null;
  if (shown !== null) return shown;
  const phone = await readCallersPhone(tx, phone_number, { country, path });
  const [holder] = await findIdentityHolders(tx, [PHONE_NUMBER.identify(phone.phone_number)]);
  const [contact = ''] = holder ? [holder.contact] : await createByPhones(tx, source, [{ name, ...phone }]);
  return contact;
}

/**
 * Returns the contact whose record shows exactly this number. A network may have reported one that is not valid, which would be refused or
 * read as the number of someone else.
 */
async function findByShownNumber(tx: TenantTx, text: string): Promise<string | null> {
  const plain = plainPhoneText(text);
  if (!/^\+\d+$/.test(plain)) return null;
  const [holder] = await findIdentityHolders(tx, [PHONE_NUMBER.identify(plain)]);
  return holder?.contact ?? null;
}

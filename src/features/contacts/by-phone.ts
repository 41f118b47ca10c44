/** The contact behind a phone number, for whoever begins something with a number alone. */
import { readCallersPhone } from '../../platform/phone-country.ts';
import { phoneKey } from '../../platform/phone.ts';
import type { TenantTx } from '../../platform/tenant.ts';
import { addContact } from './contacts.ts';
import { findNames } from './name-queries.ts';
import type { ContactSource } from './schemas.ts';

/**
 * The id of the contact with this number, in any writing; made, with its event, when nobody has it. A contact that is known
 * keeps its name. Throws CONTACT_EXISTS when somebody else makes it at the same moment: the next try finds it.
 */
export async function contactOfPhone(
  tx: TenantTx,
  source: ContactSource,
  { name, phone_number, country }: { name: string | null; phone_number: string; country?: string | undefined },
): Promise<string> {
  const phone = await readCallersPhone(tx, phone_number, { country, path: 'phone_number' });
  const [holder] = await findNames(tx, [{ kind: 'PHONE', value: phoneKey(phone.phone_number) }]);
  return holder?.contact ?? (await addContact(tx, source, { name, phone_number: phone.phone_number }))._id;
}

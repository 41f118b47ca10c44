/** The contact behind a phone number, for whoever begins something with a number alone. */
import { invalid } from '../../platform/errors.ts';
import type { TenantTx } from '../../platform/tenant.ts';
import { addContact } from './contacts.ts';
import { findNames } from './name-queries.ts';
import { parsePhone, phoneKey } from './phone.ts';
import type { ContactSource } from './schemas.ts';

/**
 * The id of the contact with this number, in any writing; made, with its event, when nobody has it. A contact that is known
 * keeps its name. Throws CONTACT_EXISTS when somebody else makes it at the same moment: the next try finds it.
 */
export async function contactOfPhone(
  tx: TenantTx,
  source: ContactSource,
  { name, phone_number }: { name: string | null; phone_number: string },
): Promise<string> {
  const phone = parsePhone(phone_number);
  if (!phone) throw invalid('phone_number', 'is not a valid phone number');
  const [holder] = await findNames(tx, [{ kind: 'PHONE', value: phoneKey(phone.phone_number) }]);
  return holder?.contact ?? (await addContact(tx, source, { name, phone_number: phone.phone_number }))._id;
}

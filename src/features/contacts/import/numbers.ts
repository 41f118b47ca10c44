/** Reads phone numbers as an import does, so that a person sees what becomes of a sheet's numbers before it is imported. */
import { findPhoneCountry } from '../../../platform/store/phone-country.ts';
import { readSheetPhone, wantsCountry } from '../../../platform/values/phone.ts';
import type { Tenant } from '../../../platform/store/tenant.ts';
import type { PhonePreview, PhonesToPreview } from './schemas.ts';
import { checkFields } from './rows.ts';

export async function previewPhones(
  tenant: Tenant,
  { phone_numbers, country: given }: PhonesToPreview,
): Promise<PhonePreview> {
  const country = await findPhoneCountry(tenant.read, given);
  return { country, phone_numbers: phone_numbers.map((text) => previewPhone(text, country)) };
}

/** Reads one cell by the rules of a row, so that the words are those of the import's errors. */
function previewPhone(written: string, country: string | null): PhonePreview['phone_numbers'][number] {
  const plain: { phone_number: string; country_code?: string | null } = { phone_number: written.trim() };
  const [fault] = checkFields(plain, country, readSheetPhone);
  return {
    written,
    phone_number: fault ? null : plain.phone_number,
    country_code: fault ? null : (plain.country_code ?? null),
    wants_country: country === null && wantsCountry(written),
    error: fault?.message ?? null,
  };
}

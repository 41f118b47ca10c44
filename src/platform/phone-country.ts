/** The country in which a caller's phone number is written when it has no country code. */
import { maybeOne } from './db.ts';
import { invalid } from './errors.ts';
import { expectPhone, isPhoneCountry, type Phone } from './phone.ts';
import type { TenantRead } from './tenant.ts';

/** The caller's `country`, else the company's; null when neither says one. Throws VALIDATION_FAILED naming `country`. */
export async function findPhoneCountry(tx: TenantRead, given: string | null | undefined): Promise<string | null> {
  if (given) {
    if (!isPhoneCountry(given)) throw invalid('country', 'is not the code of a country, such as BR or US');
    return given;
  }
  const company = await maybeOne<{ country: string | null }>(tx, {
    name: 'phone.country',
    text: `select general_config ->> 'country' as country from companies where _id = $1`,
    values: [tx.companyId],
  });
  return company?.country ?? null;
}

/** A number as a caller writes it. Throws VALIDATION_FAILED or AMBIGUOUS_PHONE naming `path`. */
export async function readCallersPhone(
  tx: TenantRead,
  text: string,
  { country, path }: { country: string | null | undefined; path: string },
): Promise<Phone> {
  // With a + the number says its country itself, so that the look-up is spared; a wrong `country` is refused all the same.
  const isWhole = text.trim().startsWith('+') && !country;
  return expectPhone(text, isWhole ? null : await findPhoneCountry(tx, country), path);
}

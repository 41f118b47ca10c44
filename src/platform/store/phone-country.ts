/** Finds the country that a phone number without a country code belongs to. */
import { maybeOne } from './db.ts';
import { invalid } from '../values/errors.ts';
import { expectPhone, hasCountryCode, isPhoneCountry, type Phone } from '../values/phone.ts';
import type { TenantRead } from './tenant.ts';

/** Returns the caller's `country`, or else the company's; null when neither is set. Throws VALIDATION_FAILED for an unknown country. */
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

/** Parses a phone number from a request. Throws VALIDATION_FAILED with the path of the field. */
export async function readCallersPhone(
  tx: TenantRead,
  text: string,
  { country, path }: { country: string | null | undefined; path: string },
): Promise<Phone> {
  // A number with its country code needs no country of the company. A given `country` is validated anyway.
  const isWhole = hasCountryCode(text) && !country;
  return expectPhone(text, isWhole ? null : await findPhoneCountry(tx, country), path);
}

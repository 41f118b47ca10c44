/** How a number is read that is written without a country code. */
import { getExampleNumber, isSupportedCountry } from 'libphonenumber-js/min';
import examples from 'libphonenumber-js/mobile/examples';

export interface PhoneExample {
  /** As people dial it inside of the country. */
  local: string;
  international: string;
}

/** Returns null for what is no country with phone numbers. */
export function findPhoneExample(country: string): PhoneExample | null {
  const number = isSupportedCountry(country) ? getExampleNumber(country, examples) : undefined;
  return number ? { local: number.formatNational(), international: number.formatInternational() } : null;
}

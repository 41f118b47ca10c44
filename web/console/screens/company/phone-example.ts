/** The countries that have phone numbers, and how a number is read that is written without a country code. */
import {
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  isSupportedCountry,
  parsePhoneNumberFromString,
  type CountryCode,
} from 'libphonenumber-js/min';
import examples from 'libphonenumber-js/mobile/examples';
import { findByLanguage } from './by-language.ts';

export interface Country {
  code: string;
  name: string;
}

/** All countries with phone numbers, by their names in a language. */
export const listCountries: (language: string) => readonly Country[] = findByLanguage((language) => {
  const names = new Intl.DisplayNames([language], { type: 'region' });
  return getCountries()
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .toSorted((a, b) => a.name.localeCompare(b.name, language));
});

export interface PhoneExample {
  /** As people dial it inside of the country. */
  local: string;
  international: string;
}

/** The library's examples of these countries are also numbers of another country, so the platform refuses them without a country code. */
const CLEARER: Readonly<Partial<Record<CountryCode, string>>> = {
  CN: '+8613912345678',
  CO: '+573101234567',
  MP: '+16702856789',
  US: '+12125550123',
};
/** Of these countries hardly any number is clear without its country code. */
const UNCLEAR: ReadonlySet<string> = new Set(['MS', 'TC']);

/** Returns null where no number shows how the platform reads the numbers of the country. */
export function findPhoneExample(country: string): PhoneExample | null {
  if (!isSupportedCountry(country) || UNCLEAR.has(country)) return null;
  const clearer = CLEARER[country];
  const number = clearer ? parsePhoneNumberFromString(clearer) : getExampleNumber(country, examples);
  return number ? { local: number.formatNational(), international: number.formatInternational() } : null;
}

/** +55; null for what is no country. */
export const findDiallingCode = (country: string): string | null =>
  isSupportedCountry(country) ? `+${getCountryCallingCode(country)}` : null;

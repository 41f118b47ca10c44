/** The countries that have phone numbers, and how a number is read that is written without a country code. */
import { getCountries, getExampleNumber, isSupportedCountry } from 'libphonenumber-js/min';
import examples from 'libphonenumber-js/mobile/examples';
import { findByLanguage } from '../../texts/by-language.ts';

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

/** Returns null for what is no country with phone numbers. */
export function findPhoneExample(country: string): PhoneExample | null {
  const number = isSupportedCountry(country) ? getExampleNumber(country, examples) : undefined;
  return number ? { local: number.formatNational(), international: number.formatInternational() } : null;
}

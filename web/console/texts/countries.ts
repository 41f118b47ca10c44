/** The countries that have phone numbers. The library that knows them is large, so only parts that are loaded later import this file. */
import { getCountries } from 'libphonenumber-js/min';
import { writeCountry } from '../../browser/formats.ts';
import { findByLanguage } from './by-language.ts';

interface CountryOption {
  /** The code of the country, such as BR. */
  value: string;
  label: string;
}

const listKnown = findByLanguage((language) =>
  getCountries()
    .map((value): CountryOption => ({ value, label: writeCountry(language, value) }))
    .toSorted((a, b) => a.label.localeCompare(b.label, language)),
);

/** All countries with phone numbers by their names in a language, with the current value even if it is none of them. */
export function listCountries(language: string, current: string): readonly CountryOption[] {
  const known = listKnown(language);
  return current === '' || known.some(({ value }) => value === current)
    ? known
    : [{ value: current, label: current }, ...known];
}

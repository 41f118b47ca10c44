import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveCountry } from './country.ts';

/** Time zone, language, and the country that they stand for. */
const PLACES: [string, string, string | null][] = [
  ['America/Sao_Paulo', 'pt-BR', 'BR'],
  ['America/Manaus', 'en', 'BR'],
  ['Brazil/East', 'en', 'BR'],
  ['america/sao_paulo', 'en', 'BR'],
  ['America/Argentina/Buenos_Aires', 'es', 'AR'],
  ['Asia/Kolkata', 'en', 'IN'],
  ['Europe/Lisbon', 'pt-BR', 'PT'],
  ['UTC', 'pt-BR', 'BR'],
  ['Etc/UTC', 'en', null],
  ['Etc/GMT+3', 'es', null],
  ['CET', 'en', null],
  ['EST5EDT', 'es-MX', 'MX'],
];

for (const [time_zone, language, country] of PLACES) {
  test(`the country of a company in ${time_zone} with the language ${language} is ${country ?? 'not known'}`, () => {
    assert.equal(deriveCountry({ time_zone, language }), country);
  });
}

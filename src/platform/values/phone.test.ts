import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PHONE_NUMBER } from '../../channels/identity.ts';
import { readDigits } from './words.ts';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { readSeed } from '../../../test/full/harness/chance.ts';
import { createRandom } from '../../../test/support/random.ts';
import { isPhoneFault, onlyDigits, phoneKey, toReadablePhone, readPhone, readSheetPhone, type Phone } from './phone.ts';

/** Parses a number and returns it, or null when it is invalid. */
function parseIn(country: string | null, text: string): Phone | null {
  const read = readPhone(text, country);
  return isPhoneFault(read) ? null : read;
}

/** The spellings in a row are the same phone number; the last two columns are its readable form. */
const PEOPLE: { spellings: string[]; phone_number: string; country_code: string }[] = [
  {
    spellings: ['5511988887777', '551188887777', '+55 (11) 98888-7777', '+55 11 8888-7777', '55 11 9 8888 7777'],
    phone_number: '+5511988887777',
    country_code: 'BR',
  },
  { spellings: ['558599998888', '5585999998888'], phone_number: '+5585999998888', country_code: 'BR' },
  // A Brazilian landline number has eight digits, too, but no 9 is added.
  { spellings: ['551133334444', '+55 11 3333-4444'], phone_number: '+551133334444', country_code: 'BR' },
  {
    spellings: ['5215512345678', '525512345678', '+52 55 1234 5678', '+52 1 55 1234 5678'],
    phone_number: '+525512345678',
    country_code: 'MX',
  },
  { spellings: ['351912345678', '+351 912 345 678'], phone_number: '+351912345678', country_code: 'PT' },
  {
    spellings: ['12125550123', '+1 (212) 555-0123', '1.212.555.0123'],
    phone_number: '+12125550123',
    country_code: 'US',
  },
];

for (const { spellings, phone_number, country_code } of PEOPLE) {
  test(`all spellings of ${phone_number} have the same key, E.164 form and country ${country_code}`, () => {
    assert.equal(new Set(spellings.map(phoneKey)).size, 1, spellings.map(phoneKey).join(' '));
    for (const spelling of spellings) assert.deepEqual(toReadablePhone(spelling), { phone_number, country_code });
  });
}

test('an Argentine mobile number has the same key with and without the 9, and keeps a 9 that was written', () => {
  const spellings = ['5491123456789', '541123456789', '+54 9 11 2345-6789', '+54 11 2345-6789'];
  assert.equal(new Set(spellings.map(phoneKey)).size, 1);
  assert.deepEqual(toReadablePhone('+54 9 11 2345-6789'), { phone_number: '+5491123456789', country_code: 'AR' });
  assert.deepEqual(toReadablePhone('541123456789'), { phone_number: '+541123456789', country_code: 'AR' });
});

test('different phone numbers have different keys', () => {
  const numbers = [
    '5511988887777',
    '5511988887778',
    '5521988887777',
    '551133334444', // a landline number, which is not the mobile number below with a 9 added
    '5511933334444',
    '525512345678',
    '541123456789',
    '351912345678',
    '12125550123',
    '121255501234',
  ];
  assert.equal(new Set(numbers.map(phoneKey)).size, numbers.length);
});

test('the key of a phone number that is a key already is the same key', () => {
  for (const { spellings } of PEOPLE) {
    for (const spelling of spellings) assert.equal(phoneKey(phoneKey(spelling)), phoneKey(spelling));
  }
});

test('a number that belongs to no country is kept as it is, without a country', () => {
  for (const text of ['99912345678', '12345', '0']) {
    assert.deepEqual(toReadablePhone(text), { phone_number: `+${text}`, country_code: null });
    assert.equal(phoneKey(text), text);
  }
});

test('a number with a country code that several countries share gets the right country', () => {
  assert.equal(toReadablePhone('14165550123').country_code, 'CA');
  assert.equal(toReadablePhone('12125550123').country_code, 'US');
  assert.equal(toReadablePhone('77011234567').country_code, 'KZ');
  assert.equal(toReadablePhone('79161234567').country_code, 'RU');
});

test('onlyDigits removes everything but digits', () => {
  assert.equal(onlyDigits(' +55 (11) 9.8888-7777 ramal 2 '), '55119888877772');
  assert.equal(onlyDigits('no number'), '');
});

/** Pairs of a text and the number that it means, whether the country is known or not; null when the text is no number. */
const WRITTEN: [string, string | null][] = [
  ['+55 (11) 98888-7777', '+5511988887777'],
  ['5511988887777', '+5511988887777'],
  ['551188887777', '+5511988887777'],
  ['0055 11 98888 7777', '+5511988887777'],
  // Prefixes that are dialled only inside a country are removed, even after the country code.
  ['+55 011 97777-2448', '+5511977772448'],
  ['55 011 97777-2448', '+5511977772448'],
  ['+55 0 15 11 7777-2448', '+5511977772448'],
  ['+55 11 97777-2448', '+5511977772448'],
  ['+55 0800 123 4567', '+558001234567'],
  ['+44 07911 123456', '+447911123456'],
  ['+49 0151 23456789', '+4915123456789'],
  ['+39 06 123456', '+3906123456'],
  ['+54 0 11 15 2345-6789', '+5491123456789'],
  ['+51 999 998 888', '+51999998888'],
  ['56987654321', '+56987654321'],
  ['351912345678', '+351912345678'],
  ['12125550123', '+12125550123'],
  ['+6591234567', '+6591234567'],
  ['+44 (0)20 7946 0958', '+442079460958'],
  ['+52 1 55 1234 5678', '+525512345678'],
  ['+800 1234 5678', '+80012345678'],
  ...['', '12345', '+5511', '119888877', '+99912345678', '+1 198 888 7777', '99999999999999999'].map(
    (text): [string, null] => [text, null],
  ),
  ...['abc', '1-800-FLOWERS', '11 98888-7777 ramal 2', '11988887777;12', '+55+11988887777', '26 98888-7777'].map(
    (text): [string, null] => [text, null],
  ),
];

for (const [written, expected] of WRITTEN) {
  test(`"${written}" ${expected ? `means ${expected}` : 'is no number'}, with the country Brazil and without a country`, () => {
    for (const country of [null, 'BR'])
      assert.equal(parseIn(country, written)?.phone_number ?? null, expected, `${country}`);
  });
}

/** Country, number as it is dialled inside that country, and its international form. */
const NATIONAL: [string, string, string][] = [
  ['BR', '11 98888-7777', '+5511988887777'],
  ['BR', '(11) 8888-7777', '+5511988887777'],
  ['BR', '011 98888 7777', '+5511988887777'],
  ['BR', '0 15 11 98888-7777', '+5511988887777'],
  ['BR', '(11) 3333-4444', '+551133334444'],
  ['US', '(212) 555-0123', '+12125550123'],
  ['PT', '912 345 678', '+351912345678'],
  ['GB', '020 7946 0958', '+442079460958'],
  ['SG', '9123 4567', '+6591234567'],
];

for (const [country, written, expected] of NATIONAL) {
  test(`"${written}" means ${expected} in ${country}, and is refused without a country`, () => {
    assert.equal(parseIn(country, written)?.phone_number, expected);
    const unknown = readPhone(written, null);
    assert.ok(isPhoneFault(unknown) && unknown.message.includes('country code'), written);
  });
}

/** Country, digits that are a valid number of it and of the country whose code they begin with, and what they mean there and without a country. */
const OF_TWO_COUNTRIES: [string, string, string, string][] = [
  ['BR', '81980067952', '+5581980067952', '+81980067952'],
  ['BR', '(81) 98000-1370', '+5581980001370', '+81980001370'],
  ['BR', '84 98000-1370', '+5584980001370', '+84980001370'],
  ['BR', '51 99999-8888', '+5551999998888', '+51999998888'],
  ['BR', '6591234567', '+5565991234567', '+6591234567'],
];

for (const [country, written, national, international] of OF_TWO_COUNTRIES) {
  test(`"${written}" is ${national} where the country is ${country}, and is read with a country code without one`, () => {
    assert.equal(parseIn(country, written)?.phone_number, national);
    assert.equal(parseIn(null, written)?.phone_number, international);
    assert.equal(parseIn(country, `+${written}`)?.phone_number, international);
    assert.equal(parseIn(country, `00${written.replaceAll(/\D/g, '')}`)?.phone_number, international);
  });
}

test('digits that are no number of the country are read with their country code', () => {
  for (const written of ['5581980067952', '351912345678', '12125550123'])
    assert.equal(parseIn('BR', written)?.phone_number, `+${written}`);
  assert.equal(parseIn('US', '5581980067952')?.phone_number, '+5581980067952');
});

test('numbers of companies without an area code are numbers of Brazil', () => {
  assert.equal(parseIn('BR', '0800 123 4567')?.phone_number, '+558001234567');
  assert.equal(parseIn('BR', '4004 1234')?.phone_number, '+5540041234');
});

test('a sheet without a country refuses every number without + or 00 and asks for a country', () => {
  for (const written of ['81980067952', '5511988887777', '(81) 98000-1370', '12345']) {
    const read = readSheetPhone(written, null);
    assert.ok(isPhoneFault(read) && read.message.includes('choose the country'), written);
    assert.deepEqual(readSheetPhone(written, 'BR'), readPhone(written, 'BR'));
  }
  for (const written of ['+55 81 98006-7952', '00 55 81 98006-7952', 'nobody'])
    assert.deepEqual(readSheetPhone(written, null), readPhone(written, null));
});

test('invisible marks and typographic hyphens and blanks in a number are ignored', () => {
  const marks = '\u200e \u200f \u202a \u202e \u2066 \u2069 \ufeff \u00ad \u200b \u200d \u2060'.split(' ');
  for (const mark of marks)
    assert.equal(parseIn(null, `${mark}+55 11${mark} 98888-1612${mark}`)?.phone_number, '+5511988881612');
  for (const sign of '\u2010 \u2011 \u2012 \u2013 \u2014 \u2015 \u2212'
    .split(' ')
    .concat('\u00a0', '\u2007', '\u202f')) {
    assert.equal(parseIn(null, `+55${sign}11 98888${sign}1608`)?.phone_number, '+5511988881608');
    assert.equal(parseIn('BR', `(11) 98888${sign}1608`)?.phone_number, '+5511988881608');
  }
});

test('full-width digits and signs are read like plain ones', () => {
  for (const written of ['＋５５ （１１） ９８８８８－１６１３', '+55\u300011 ９８８８８-1613']) {
    assert.equal(parseIn(null, written)?.phone_number, '+5511988881613');
    assert.equal(phoneKey(written), '5511988881613');
    assert.equal(readDigits(written), '5511988881613');
    assert.ok(PHONE_NUMBER.writing.test(written));
  }
});

test('a writing that could be another number, or more than a number, is refused', () => {
  const refused = ['5.51199E+12', '5,51199E+12', '5511988881601.0', "'5511988881602", '="+5511988881603"'].concat(
    ['11 98888-1604 / 11 98888-1605', '+55 11 3888-1606 ramal 12', '5511988881607@s.whatsapp.net'],
    ['https://wa.me/5511988881609', 'tel:+5511988881610', '+٥٥١١٩٨٨٨٨١٦١١'],
  );
  for (const country of [null, 'BR', 'DE'])
    for (const written of refused) assert.equal(parseIn(country, written), null);
});

test('a 0 after the country code is removed only where a number of an assigned range is left', () => {
  assert.equal(parseIn(null, '+55046807836'), null);
  assert.equal(parseIn(null, '+55 046 3880-7836')?.phone_number, '+554638807836');
});

test('a number without + is accepted only in a range that its country has assigned', () => {
  // Read with their first digits as a country code, the first number would be in an unassigned range of the Netherlands, and the second in
  // one of Brazil.
  for (const written of ['(31) 98888-0003', '55 99999-8888']) {
    assert.equal(parseIn(null, written), null);
    assert.ok(parseIn(null, `+${written.replaceAll(/[()]/g, '')}`), written);
  }
  // The digits 55 are the country code of Brazil and also the area code of Santa Maria.
  assert.equal(parseIn('BR', '55 99999-8888')?.phone_number, '+5555999998888');
  // The network's test numbers have an area code that no real number has.
  for (const country of [null, 'BR']) assert.equal(parseIn(country, '15550783881')?.phone_number, '+15550783881');
});

// The area codes of Brazil (Anatel).
const AREAS =
  '11 12 13 14 15 16 17 18 19 21 22 24 27 28 31 32 33 34 35 37 38 41 42 43 44 45 46 47 48 49 51 53 54 55 ' +
  '61 62 63 64 65 66 67 68 69 71 73 74 75 77 79 81 82 83 84 85 86 87 88 89 91 92 93 94 95 96 97 98 99';

test('a number without a country code is Brazilian exactly if it begins with one of the 67 area codes of Brazil', () => {
  const areas = Array.from({ length: 90 }, (_, index) => String(index + 10)).filter((area) => {
    return parseIn('BR', `${area} 98765-4321`)?.phone_number === `+55${area}987654321`;
  });
  assert.deepEqual(areas, AREAS.split(' '));
});

test('a parsed number is parsed again to the same number and the same key', () => {
  for (const [written, expected] of WRITTEN) {
    if (!expected) continue;
    assert.deepEqual(parseIn(null, expected), parseIn(null, written));
    assert.equal(phoneKey(expected), phoneKey(phoneKey(expected)));
  }
});

test('every parsed number is valid E.164 and is parsed again to the same number', (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  const random = createRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const beginnings = ['', '+', '00', '+55', '+55 0', '55', '0', '+44 0', '+54 0', '+52 1', '+52 01', '+1 1', '+39 0'];
  for (let round = 0; round < 20_000; round += 1) {
    const digits = Array.from({ length: 4 + Math.floor(random() * 10) }, () => Math.floor(random() * 10));
    const written = pick(beginnings) + digits.join(pick(['', '', ' ']));
    const country = pick([null, 'BR', 'US', 'AR', 'MX', 'GB', 'SG'] as const);
    const phone = parseIn(country, written);
    if (!phone) continue;
    const { phone_number } = phone;
    assert.match(phone_number, /^\+[1-9]\d{1,14}$/, written);
    assert.equal(parsePhoneNumberFromString(phone_number)?.number, phone_number, written);
    assert.deepEqual(parseIn(country, phone_number), phone, written);
    // Networks write numbers without the +.
    assert.deepEqual(toReadablePhone(phone_number.slice(1)), phone, written);
  }
});

/**
 * Parses phone numbers: a key that is equal for all spellings of one number, and a readable form. What people write is read by readPhone()
 * and readSheetPhone(), in the country that the request or the company names. What a network reports is always international, and is
 * read by phoneKey() and toReadablePhone() alone.
 */
import { parsePhoneNumberFromString as parseAssigned } from 'libphonenumber-js/max';
import { getCountries, isSupportedCountry, parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/min';
import { invalid } from './errors.ts';
import { plainPhoneText } from './phone-text.ts';

/** Removes everything but digits. */
export const onlyDigits = (text: string): string => plainPhoneText(text).replaceAll(/\D/g, '');

// Brazil added a 9 before mobile numbers, but the network still has many without it: 55, area code, eight digits that begin with 6 to 9.
const BRAZIL_SHORT = /^(55[1-9]\d)([6-9]\d{7})$/;
// Mexico dropped a 1 after its country code. Argentina has a 9 there that is used only in calls from abroad to mobile numbers.
const MEXICO_LONG = /^52(1)(\d{10})$/;
const ARGENTINA_LONG = /^54(9)(\d{10})$/;

/** Returns the digits that identify a phone number; they are equal for all its spellings. */
export function phoneKey(text: string): string {
  return onlyDigits(text).replace(BRAZIL_SHORT, '$19$2').replace(MEXICO_LONG, '52$2').replace(ARGENTINA_LONG, '54$2');
}

const formatReadable = (digits: string): string =>
  `+${digits.replace(BRAZIL_SHORT, '$19$2').replace(MEXICO_LONG, '52$2')}`;

export interface Phone {
  /** The number in the format E.164, with `+`. */
  phone_number: string;
  /** ISO 3166 alpha-2; null for a number that belongs to no country. */
  country_code: string | null;
}

/** Formats a number that a network reports: digits that begin with a country code. The number need not be valid. */
export function toReadablePhone(text: string): Phone {
  const number = formatReadable(onlyDigits(text));
  return { phone_number: number, country_code: parsePhoneNumberFromString(number)?.country ?? null };
}

/** The ISO 3166 alpha-2 codes of all countries that have phone numbers. */
export const PHONE_COUNTRIES: readonly string[] = getCountries();

/** Returns true for an ISO 3166 alpha-2 code of a country that has phone numbers. */
export const isPhoneCountry = (code: string): boolean => isSupportedCountry(code);

/** The reason why a text is not accepted as a phone number. */
export interface PhoneFault {
  /** The error message, which continues a sentence that begins with the name of the field. */
  message: string;
}

const PHONE_LOOK = /^\+?[\d\s().\-/]{3,}$/;
// A spreadsheet that took the number for an amount wrote it with a decimal: 5511988887777.0.
const DECIMAL = /\d{5}\.0$/;

const startsWithCountryCode = (plain: string): boolean => /^(\+|00(?=\s*[1-9]))/.test(plain);

/** True for a number that begins with `+` or 00, so that it contains its country code. */
export const hasCountryCode = (text: string): boolean => startsWithCountryCode(plainPhoneText(text));

/**
 * Parses a number that a person wrote. With `+` or 00 it begins with a country code. Without them, digits that are a valid number of
 * `country` (ISO 3166 alpha-2, or null) are that number; only otherwise are they read with a country code, as networks write numbers.
 */
export function readPhone(text: string, country: string | null): Phone | PhoneFault {
  const plain = plainPhoneText(text);
  if (!PHONE_LOOK.test(plain) || DECIMAL.test(plain))
    return { message: 'is not a phone number: write it as +55 11 91234-5678' };
  // In +44 (0)20 … the 0 in parentheses is dialled only inside the country, so it is removed.
  const written = plain.replace(/^00(?=\s*[1-9])/, '+').replace(/^(\+.*)\(0\)/, '$1');
  const digits = onlyDigits(written);
  const withCode = toValidPhone(formatReadable(digits));
  if (written.startsWith('+')) return withCode ?? noNumber;
  const national = country === null ? null : toNationalPhone(digits, country);
  if (national) return national;
  if (withCode && isAssignedNumber(withCode)) return withCode;
  return { message: `${noNumber.message}: write it with + and its country code` };
}

const noNumber: PhoneFault = { message: 'is not a valid phone number' };

/**
 * Parses a number of a sheet. Where no country is known, a number without `+` or 00 is refused: most sheets have numbers as they are dialled
 * in one country, and many of these are also valid numbers of another country.
 */
export function readSheetPhone(text: string, country: string | null): Phone | PhoneFault {
  return country === null && wantsCountry(text) ? { message: COUNTRY_WANTED } : readPhone(text, country);
}

/** True for a number without `+` or 00, which is not read in a sheet unless a country is known. */
export function wantsCountry(text: string): boolean {
  const plain = plainPhoneText(text);
  return PHONE_LOOK.test(plain) && !startsWithCountryCode(plain);
}

const COUNTRY_WANTED =
  'has no country code: choose the country of the numbers, or write it with + and its country code';

/** The two ways in which numbers are read: those of requests, and those of sheets. */
export type PhoneReader = typeof readPhone;

export const isPhoneFault = (read: Phone | PhoneFault): read is PhoneFault => 'message' in read;

/** Parses a number or throws VALIDATION_FAILED with the path of the field. */
export function expectPhone(text: string, country: string | null, path: string): Phone {
  const read = readPhone(text, country);
  if (isPhoneFault(read)) throw invalid(path, read.message);
  return read;
}

// Matches the test numbers of the network for businesses. No real number has this area code.
const TEST_NUMBER = /^\+1555\d{7}$/;

/**
 * Validates a number in E.164. The parser drops prefixes that are dialled only inside a country (+55 011 …), so its result is parsed once
 * more, and has to lie in a range that the country has assigned: otherwise the 0 was no such prefix.
 */
function toValidPhone(number: string): Phone | null {
  if (TEST_NUMBER.test(number)) return { phone_number: number, country_code: null };
  const parsed = parsePhoneNumberFromString(number);
  const phone_number = parsed && formatReadable(onlyDigits(parsed.number));
  const phone = phone_number && parsePhoneNumberFromString(phone_number);
  if (!phone || !phone.isValid() || phone.number !== phone_number) return null;
  const read = { phone_number, country_code: phone.country ?? null };
  return parsed.number === number || isAssignedNumber(read) ? read : null;
}

// The 67 area codes of Brazil (Anatel). A number with another area code is not a Brazilian one.
const BRAZIL_AREA = '1[1-9]|2[12478]|3[1-578]|4[1-9]|5[1345]|6[1-9]|7[134579]|8[1-9]|9[1-9]';
// An optional 0 with a carrier code, the area code, then nine digits that begin with 9, or eight digits. Of mobile numbers libphonenumber
// accepts only those with nine.
const BRAZIL_NATIONAL = new RegExp(String.raw`^(?:0(?:\d\d)?)?((?:${BRAZIL_AREA})(?:9\d{8}|[2-9]\d{7}))$`);
// Numbers of companies that have no area code, such as 0800 123 4567 and 4004 1234.
const BRAZIL_SERVICE = /^0?[3589]00\d{6,7}$|^[34]00\d{5}$/;

/**
 * Returns true when the number lies in a range that its country has assigned. Numbers without + must lie in such a range, because
 * they are otherwise more likely a national number of another country. Numbers with + need not, because countries add new ranges.
 */
const isAssignedNumber = ({ phone_number }: Phone): boolean =>
  TEST_NUMBER.test(phone_number) || (parseAssigned(phone_number)?.isValid() ?? false);

/** Returns the number that these digits reach when they are dialled inside the country; null when there is none. */
function toNationalPhone(digits: string, country: string): Phone | null {
  if (country === 'BR') {
    const national = BRAZIL_NATIONAL.exec(digits)?.[1];
    if (national) return toValidPhone(formatReadable(`55${national}`));
    if (!BRAZIL_SERVICE.test(digits)) return null;
  }
  const parsed = parseAssigned(digits, country as CountryCode);
  return parsed?.isValid() ? toValidPhone(parsed.number) : null;
}

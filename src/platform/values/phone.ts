/**
 * Parses phone numbers: a key that is equal for all spellings of one number, and a readable form. A number without a country code is read
 * only with a given country, and a number that can be read in two ways is refused, so that a number is never guessed.
 */
import { parsePhoneNumberFromString as parseAssigned } from 'libphonenumber-js/max';
import { isSupportedCountry, parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/min';
import { AppError, invalid } from './errors.ts';

/** Removes everything but digits. */
export const onlyDigits = (text: string): string => text.replaceAll(/\D/g, '');

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

/** Returns true for an ISO 3166 alpha-2 code of a country that has phone numbers. */
export const isPhoneCountry = (code: string): boolean => isSupportedCountry(code);

/** The reason why a text is not accepted as a phone number; `code` is AMBIGUOUS_PHONE when two numbers are possible. */
export interface PhoneFault {
  code: 'INVALID' | 'AMBIGUOUS_PHONE';
  /** The error message, which continues a sentence that begins with the name of the field. */
  message: string;
}

const PHONE_LOOK = /^\+?[\d\s().\-/]{3,}$/;

/**
 * Parses a number that a person wrote. With `+` or 00 it begins with a country code. Without them it may begin with a country code, too,
 * as networks write numbers, or be written as dialled inside `country` (ISO 3166 alpha-2, or null). When both readings are valid and
 * differ, the result is AMBIGUOUS_PHONE, and its message names both.
 */
export function readPhone(text: string, country: string | null): Phone | PhoneFault {
  // In +44 (0)20 … the 0 in parentheses is dialled only inside the country, so it is removed.
  const written = text
    .trim()
    .replace(/^00(?=\s*[1-9])/, '+')
    .replace(/^(\+.*)\(0\)/, '$1');
  if (!PHONE_LOOK.test(written))
    return { code: 'INVALID', message: 'is not a phone number: write it as +55 11 91234-5678' };
  const digits = onlyDigits(written);
  const withCode = toValidPhone(formatReadable(digits));
  if (written.startsWith('+')) return withCode ?? noNumber;
  const international = withCode && isAssignedNumber(withCode) ? withCode : null;
  const national = country === null ? null : toNationalPhone(digits, country);
  if (international && national && phoneKey(international.phone_number) !== phoneKey(national.phone_number)) {
    const readings = `${international.phone_number}, or ${national.phone_number} as it is dialled in ${country}`;
    return { code: 'AMBIGUOUS_PHONE', message: `can be ${readings}: write it with + and its country code` };
  }
  return (
    international ?? national ?? { ...noNumber, message: `${noNumber.message}: write it with + and its country code` }
  );
}

const noNumber: PhoneFault = { code: 'INVALID', message: 'is not a valid phone number' };

/** Parses a number or throws VALIDATION_FAILED or AMBIGUOUS_PHONE with the path of the field. */
export function expectPhone(text: string, country: string | null, path: string): Phone {
  const read = readPhone(text, country);
  if ('code' in read) throw toPhoneProblem(read, path);
  return read;
}

export function toPhoneProblem({ code, message }: PhoneFault, path: string): AppError {
  if (code === 'INVALID') return invalid(path, message);
  return new AppError(code, `${path} ${message}`, [{ path, code, message }]);
}

// Matches the test numbers of the network for businesses. No real number has this area code.
const TEST_NUMBER = /^\+1555\d{7}$/;

/**
 * Validates a number in E.164. The parser drops prefixes that are dialled only inside a country (+55 011 …), so its result is parsed once
 * more.
 */
function toValidPhone(number: string): Phone | null {
  if (TEST_NUMBER.test(number)) return { phone_number: number, country_code: null };
  const parsed = parsePhoneNumberFromString(number);
  const phone_number = parsed && formatReadable(onlyDigits(parsed.number));
  const phone = phone_number && parsePhoneNumberFromString(phone_number);
  if (!phone || !phone.isValid() || phone.number !== phone_number) return null;
  return { phone_number, country_code: phone.country ?? null };
}

// The 67 area codes of Brazil (Anatel). A number with another area code is not a Brazilian one.
const BRAZIL_AREA = '1[1-9]|2[12478]|3[1-578]|4[1-9]|5[1345]|6[1-9]|7[134579]|8[1-9]|9[1-9]';
// An optional 0 with a carrier code, the area code, then nine digits that begin with 9, or eight digits. Of mobile numbers libphonenumber
// accepts only those with nine.
const BRAZIL_NATIONAL = new RegExp(String.raw`^(?:0(?:\d\d)?)?((?:${BRAZIL_AREA})(?:9\d{8}|[2-9]\d{7}))$`);

/**
 * Returns true when the number lies in a range that its country has assigned. Numbers without + must lie in such a range, because
 * they are otherwise more likely a national number of another country. Numbers with + need not, because countries add new ranges.
 */
const isAssignedNumber = ({ phone_number }: Phone): boolean =>
  TEST_NUMBER.test(phone_number) || (parseAssigned(phone_number)?.isValid() ?? false);

/** Returns the number that these digits reach when dialled inside the country; null when there is none. */
function toNationalPhone(digits: string, country: string): Phone | null {
  if (country === 'BR') {
    const national = BRAZIL_NATIONAL.exec(digits)?.[1];
    return national ? toValidPhone(formatReadable(`55${national}`)) : null;
  }
  const parsed = parseAssigned(digits, country as CountryCode);
  return parsed?.isValid() ? toValidPhone(parsed.number) : null;
}

/**
 * Phone numbers: the form that all writings of one person's number share, and the form that people read. A number is never
 * guessed: one without a country code is read only in a country that the caller named, and what can be read in two ways is
 * nobody's number.
 */
import { parsePhoneNumberFromString as parseAssigned } from 'libphonenumber-js/max';
import { isSupportedCountry, parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/min';
import { AppError, invalid } from './errors.ts';

/** Digits only. */
export const onlyDigits = (text: string): string => text.replaceAll(/\D/g, '');

// Brazil put a 9 before mobile numbers, and the network still knows many without it: 55, area, eight digits from 6 to 9.
const BRAZIL_SHORT = /^(55[1-9]\d)([6-9]\d{7})$/;
// Mexico dropped a 1 after its country code, Argentina has a 9 that only mobile calls from abroad use.
const MEXICO_LONG = /^52(1)(\d{10})$/;
const ARGENTINA_LONG = /^54(9)(\d{10})$/;

/** The digits under which a person is known: equal for all spellings of one number. */
export function phoneKey(text: string): string {
  return onlyDigits(text).replace(BRAZIL_SHORT, '$19$2').replace(MEXICO_LONG, '52$2').replace(ARGENTINA_LONG, '54$2');
}

const readable = (digits: string): string => `+${digits.replace(BRAZIL_SHORT, '$19$2').replace(MEXICO_LONG, '52$2')}`;

export interface Phone {
  /** E.164 with `+`. */
  phone_number: string;
  /** ISO 3166 alpha-2; null where a number belongs to no country. */
  country_code: string | null;
}

/** What a network tells: digits that begin with their country code, also where the number is not valid. */
export function readablePhone(text: string): Phone {
  const number = readable(onlyDigits(text));
  return { phone_number: number, country_code: parsePhoneNumberFromString(number)?.country ?? null };
}

/** True for an ISO 3166 alpha-2 code of a country that has phone numbers. */
export const isPhoneCountry = (code: string): boolean => isSupportedCountry(code);

/** Why a writing is no number; `code` is AMBIGUOUS_PHONE when it can be two people's. */
export interface PhoneFault {
  code: 'INVALID' | 'AMBIGUOUS_PHONE';
  /** Follows the name of the field. */
  message: string;
}

const PHONE_LOOK = /^\+?[\d\s().\-/]{3,}$/;

/**
 * Reads a number as somebody wrote it. With `+` or 00 it begins with its country code. Without them it may begin with it, too,
 * which is how networks write numbers, or be written as it is dialled inside `country` (ISO 3166 alpha-2; null: not known).
 * Where both are valid numbers of different people, it is AMBIGUOUS_PHONE and the message names both.
 */
export function readPhone(text: string, country: string | null): Phone | PhoneFault {
  // +44 (0)20 …: the 0 is for those who dial inside the country.
  const written = text
    .trim()
    .replace(/^00(?=\s*[1-9])/, '+')
    .replace(/^(\+.*)\(0\)/, '$1');
  if (!PHONE_LOOK.test(written)) return { code: 'INVALID', message: 'is not a phone number' };
  const digits = onlyDigits(written);
  const withCode = validPhone(readable(digits));
  if (written.startsWith('+')) return withCode ?? noNumber;
  const international = withCode && isAssigned(withCode) ? withCode : null;
  const national = country === null ? null : nationalPhone(digits, country);
  if (international && national && phoneKey(international.phone_number) !== phoneKey(national.phone_number)) {
    const readings = `${international.phone_number}, or ${national.phone_number} as it is dialled in ${country}`;
    return { code: 'AMBIGUOUS_PHONE', message: `can be ${readings}: write it with + and its country code` };
  }
  return (
    international ?? national ?? { ...noNumber, message: `${noNumber.message}: write it with + and its country code` }
  );
}

const noNumber: PhoneFault = { code: 'INVALID', message: 'is not a valid phone number' };

/** Throws VALIDATION_FAILED or AMBIGUOUS_PHONE naming `path`. */
export function expectPhone(text: string, country: string | null, path: string): Phone {
  const read = readPhone(text, country);
  if ('code' in read) throw phoneProblem(read, path);
  return read;
}

export function phoneProblem({ code, message }: PhoneFault, path: string): AppError {
  if (code === 'INVALID') return invalid(path, message);
  return new AppError(code, `${path} ${message}`, [{ path, code, message }]);
}

// With which the network lets businesses try it: nobody else can have a number of this area.
const TEST_NUMBER = /^\+1555\d{7}$/;

/** `number`: E.164. The parser leaves out what is only dialled inside a country (+55 011 …), so its answer is read once more. */
function validPhone(number: string): Phone | null {
  if (TEST_NUMBER.test(number)) return { phone_number: number, country_code: null };
  const parsed = parsePhoneNumberFromString(number);
  const phone_number = parsed && readable(onlyDigits(parsed.number));
  const phone = phone_number && parsePhoneNumberFromString(phone_number);
  if (!phone || !phone.isValid() || phone.number !== phone_number) return null;
  return { phone_number, country_code: phone.country ?? null };
}

// The 67 national codes of Anatel's plan: a number that begins with another one is not dialled inside Brazil.
const BRAZIL_AREA = '1[1-9]|2[12478]|3[1-578]|4[1-9]|5[1345]|6[1-9]|7[134579]|8[1-9]|9[1-9]';
// Perhaps a 0 and a carrier, the area, then nine digits that begin with 9, or eight: libphonenumber knows only nine.
const BRAZIL_NATIONAL = new RegExp(String.raw`^(?:0(?:\d\d)?)?((?:${BRAZIL_AREA})(?:9\d{8}|[2-9]\d{7}))$`);

/**
 * True where the number lies in a range that its country has given out. Behind a + it need not: countries add ranges before this
 * program knows them. Without one, such digits are more likely a national number of another country.
 */
const isAssigned = ({ phone_number }: Phone): boolean =>
  TEST_NUMBER.test(phone_number) || (parseAssigned(phone_number)?.isValid() ?? false);

/** The number that these digits reach when they are dialled inside the country; null: none. */
function nationalPhone(digits: string, country: string): Phone | null {
  if (country === 'BR') {
    const national = BRAZIL_NATIONAL.exec(digits)?.[1];
    return national ? validPhone(readable(`55${national}`)) : null;
  }
  const parsed = parseAssigned(digits, country as CountryCode);
  return parsed?.isValid() ? validPhone(parsed.number) : null;
}

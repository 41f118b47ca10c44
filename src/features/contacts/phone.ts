/** Phone numbers: one form that every spelling of a person's number shares, and the one that people read. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** Digits only. */
export const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');

// Brazil put a 9 before mobile numbers, and the network still knows many without it: 55, area, eight digits from 6 to 9.
const BRAZIL_SHORT = /^(55[1-9]\d)([6-9]\d{7})$/;
// Mexico dropped a 1 after its country code, Argentina has a 9 that only mobile calls from abroad use.
const MEXICO_LONG = /^52(1)(\d{10})$/;
const ARGENTINA_LONG = /^54(9)(\d{10})$/;

/** The digits under which a person is known: equal for all spellings of one number. */
export function phoneKey(text: string): string {
  return digitsOf(text).replace(BRAZIL_SHORT, '$19$2').replace(MEXICO_LONG, '52$2').replace(ARGENTINA_LONG, '54$2');
}

const readable = (digits: string): string => `+${digits.replace(BRAZIL_SHORT, '$19$2').replace(MEXICO_LONG, '52$2')}`;

/**
 * What a network tells: digits that begin with their country code. E.164 with `+`, and the country that libphonenumber derives
 * from it (ISO 3166 alpha-2).
 */
export function readablePhone(text: string): { phone_number: string; country_code: string | null } {
  const number = readable(digitsOf(text));
  return { phone_number: number, country_code: parsePhoneNumberFromString(number)?.country ?? null };
}

export interface Phone {
  /** E.164 with `+`. */
  phone_number: string;
  /** ISO 3166 alpha-2; null where a number belongs to no country. */
  country_code: string | null;
}

const PHONE_LOOK = /^\+?[\d\s().\-/]{3,}$/;
// The 67 national codes of Anatel's plan: 56 is none of them, and 56912345678 a number in Chile.
const BRAZIL_AREA = '1[1-9]|2[12478]|3[1-578]|4[1-9]|5[1345]|6[1-9]|7[134579]|8[1-9]|9[1-9]';
// As it is dialled inside Brazil: perhaps a 0 and a carrier, the area, then nine digits that begin with 9, or eight.
const BRAZIL_NATIONAL = new RegExp(String.raw`^(?:0(?:\d\d)?)?((?:${BRAZIL_AREA})(?:9\d{8}|[2-9]\d{7}))$`);

/**
 * A number as somebody writes it: with its country code (`+` or 00 before it or not), or as it is dialled inside Brazil, which
 * counts first where no `+` says otherwise. Null when it is no valid number.
 */
export function parsePhone(text: string): Phone | null {
  // +44 (0)20 …: the 0 is for those who dial inside the country.
  const written = text
    .trim()
    .replace(/^00(?=\s*[1-9])/, '+')
    .replace(/^(\+.*)\(0\)/, '$1');
  if (!PHONE_LOOK.test(written)) return null;
  const digits = digitsOf(written);
  const national = written.startsWith('+') ? null : BRAZIL_NATIONAL.exec(digits)?.[1];
  // The parser leaves out what is only dialled inside a country, also without brackets: +55 011 …. Once: of more it makes nothing.
  const parsed = parsePhoneNumberFromString(readable(national ? `55${national}` : digits));
  const phone_number = parsed && readable(digitsOf(parsed.number));
  const phone = phone_number && parsePhoneNumberFromString(phone_number);
  if (!phone || !phone.isValid() || phone.number !== phone_number) return null;
  return { phone_number, country_code: phone.country ?? null };
}

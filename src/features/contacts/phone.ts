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

/** E.164 with `+`, and the country that libphonenumber derives from it (ISO 3166 alpha-2). */
export function readablePhone(text: string): { phone_number: string; country_code: string | null } {
  const number = `+${digitsOf(text).replace(BRAZIL_SHORT, '$19$2').replace(MEXICO_LONG, '52$2')}`;
  return { phone_number: number, country_code: parsePhoneNumberFromString(number)?.country ?? null };
}

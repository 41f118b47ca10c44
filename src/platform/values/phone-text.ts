/** The characters of phone numbers as people write them. */

// No one sees these marks, and texts bring them along when they are copied from a page or a chat: soft hyphen, zero-width blanks, marks
// of the direction of writing, byte order mark.
const INVISIBLE = String.raw`\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff`;
// Hyphens and dashes as word processors write them, and the minus sign.
const DASHES = String.raw`\u2010-\u2015\u2212\ufe58\ufe63\uff0d`;
// Parentheses, the plus sign, dots, slashes and digits as East Asian keyboards write them: each is this far behind its ASCII form.
const FULL_WIDTH_SIGNS = /[\uff08-\uff19]/g;
const FULL_WIDTH_DISTANCE = 0xfee0;
const INVISIBLE_MARKS = new RegExp(`[${INVISIBLE}]`, 'g');
const TYPOGRAPHIC_DASHES = new RegExp(`[${DASHES}]`, 'g');

const PUNCTUATION = String.raw`\s().\-/\uff08\uff09\uff0e\uff0f${INVISIBLE}${DASHES}`;
const DIGIT = String.raw`\d\uff10-\uff19`;

/** A phone number as people write it, with spaces, dots, dashes, slashes and parentheses. `\s` includes non-breaking and narrow spaces. */
export const PHONE_WRITING = new RegExp(`^(?=.*[${DIGIT}])[${PUNCTUATION}]*[+\uff0b]?[${DIGIT}${PUNCTUATION}]+$`);

/** Removes invisible marks and blanks around the number, and replaces typographic hyphens and full-width signs by plain ones. */
export const plainPhoneText = (text: string): string =>
  text
    .replaceAll(INVISIBLE_MARKS, '')
    .replaceAll(TYPOGRAPHIC_DASHES, '-')
    .replaceAll(FULL_WIDTH_SIGNS, (sign) => String.fromCharCode(sign.charCodeAt(0) - FULL_WIDTH_DISTANCE))
    .trim();

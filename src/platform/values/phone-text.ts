/** The characters of phone numbers as people write them. */

// Nobody sees these marks, and texts bring them along when they are copied from a page or a chat: soft hyphen, zero-width blanks, marks
// of the direction of writing, byte order mark.
const INVISIBLE = String.raw`\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff`;
// Hyphens and dashes as word processors write them, and the minus sign.
const DASHES = String.raw`\u2010-\u2015\u2212\ufe58\ufe63\uff0d`;
const INVISIBLE_MARKS = new RegExp(`[${INVISIBLE}]`, 'g');
const TYPOGRAPHIC_DASHES = new RegExp(`[${DASHES}]`, 'g');

/** What stands between the digits of a written number, for a character class. `\s` includes non-breaking and narrow spaces. */
export const PHONE_PUNCTUATION = String.raw`\s().\-/${INVISIBLE}${DASHES}`;

/** Removes invisible marks and blanks around the number, and replaces typographic hyphens by plain ones. */
export const plainPhoneText = (text: string): string =>
  text.replaceAll(INVISIBLE_MARKS, '').replaceAll(TYPOGRAPHIC_DASHES, '-').trim();

/** Writes amounts and dates as people read them in the language of a template. */

/** Returns the language as JavaScript names it; the network separates its parts by an underscore. */
function toLocale(language: string): string {
  try {
    return Intl.getCanonicalLocales(language.replaceAll('_', '-'))[0] ?? 'en';
  } catch {
    // Failure policy: the network has a language that JavaScript does not know; amounts and dates are then written in English.
    return 'en';
  }
}

/** Intl writes spaces that do not break; other texts have plain ones, and people copy them. */
const withPlainSpaces = (text: string): string => text.replaceAll(/[\u00a0\u2009\u202f]/g, ' ');

export function formatCurrency(language: string, code: string, amount: number): string {
  return withPlainSpaces(
    new Intl.NumberFormat(toLocale(language), { style: 'currency', currency: code }).format(amount),
  );
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Writes out a date such as 2026-02-25 or a time such as 2026-02-25T18:00:00Z. Any other text is returned as it is, because it is a date in
 * the caller's own words.
 */
export function formatDate(language: string, text: string, timeZone: string | null): string {
  const isDay = DAY.test(text);
  const date = new Date(isDay ? `${text}T00:00:00Z` : text);
  if ((!isDay && !MOMENT.test(text)) || Number.isNaN(date.getTime())) return text;
  const style: Intl.DateTimeFormatOptions = isDay
    ? { dateStyle: 'long', timeZone: 'UTC' }
    : { dateStyle: 'long', timeStyle: 'short', timeZone: timeZone ?? 'UTC' };
  return withPlainSpaces(new Intl.DateTimeFormat(toLocale(language), style).format(date));
}

/** Writes times and sizes in a language and in the time zone of the browser. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making a format takes longer than using it a thousand times, so each is made once. */
export function findFormat(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = language + JSON.stringify(options);
  const format = formats.get(key) ?? new Intl.DateTimeFormat(language, options);
  formats.set(key, format);
  return format;
}

/** 14:05 */
export const writeTime = (language: string, at: string): string =>
  findFormat(language, { timeStyle: 'short' }).format(new Date(at));

/** Writes a number of seconds as minutes and seconds, such as 1:05. */
export const writeDuration = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

/** The heading of a day in a conversation: today and yesterday by their names, else with the weekday. */
export function writeDay(language: string, at: string, now = new Date()): string {
  const date = new Date(at);
  const days = Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(date).setHours(0, 0, 0, 0)) / DAY_MS);
  if (days === 0 || days === 1) {
    const word = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-days, 'day');
    return word.charAt(0).toLocaleUpperCase(language) + word.slice(1);
  }
  return findFormat(language, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(date);
}

const DAY_MS = 86_400_000;

/** 920 bytes, 1.4 MB */
export function writeBytes(language: string, bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  // The short form of a byte has no plural.
  const unitDisplay = step === 0 ? 'long' : 'short';
  const options = { style: 'unit', unit: units[step], unitDisplay, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language, options as Intl.NumberFormatOptions).format(bytes / 1000 ** step);
}

/** The name of a country by its code; any other text as it is. */
export function writeCountry(language: string, code: string): string {
  try {
    return new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? code;
  } catch {
    // Failure policy: the text may come from an address that somebody has changed by hand.
    return code;
  }
}

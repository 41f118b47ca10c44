/** Times of the day in a time zone, as fields of a form hold them: 2026-12-24T09:00. */

/** Returns how far the clocks of a zone are ahead of UTC at a moment. */
function readOffsetMs(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const read = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const shown = Date.UTC(read('year'), read('month') - 1, read('day'), read('hour'), read('minute'), read('second'));
  return shown - Math.floor(at / 1_000) * 1_000;
}

/** Returns the moment at which the clocks of a zone show this time; null when the text is no time. */
export function toMoment(text: string, timeZone: string): string | null {
  const wanted = Date.parse(`${text}Z`);
  if (Number.isNaN(wanted)) return null;
  // The offset may be another one at the moment that the first guess finds, when the clocks change between the two.
  const guess = wanted - readOffsetMs(wanted, timeZone);
  return new Date(wanted - readOffsetMs(guess, timeZone)).toISOString();
}

/** Returns what the clocks of a zone show at a moment. */
export const toZonedTime = (at: string, timeZone: string): string =>
  new Date(Date.parse(at) + readOffsetMs(Date.parse(at), timeZone)).toISOString().slice(0, 16);

export const findBrowserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

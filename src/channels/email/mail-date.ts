/** Reads the time that a mail states (RFC 5322, 3.3). The same header gives the same time on every server. */

const TIME_OF_DAY = /\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?/;
const ZONE = /[+-]\d|(?<![a-z])(?:UTC?|GMT|Z|[ECMP][SD]T)(?![a-z])/i;

/** Returns null when the header has no readable time. A time without a zone is read as UTC, not in the zone of the server. */
export function readMailDate(header: string | undefined): Date | null {
  const written = unfold(header);
  if (written === '') return null;
  const readings = hasZone(written) ? [written] : [`${written} UTC`, `${written}Z`];
  const times = readings.map((text) => Date.parse(text));
  const time = times.find((each) => !Number.isNaN(each));
  return time === undefined ? null : new Date(time);
}

function hasZone(written: string): boolean {
  const plain = written.replaceAll(/\([^()]*\)/g, '');
  const time = TIME_OF_DAY.exec(plain);
  return time !== null && ZONE.test(plain.slice(time.index + time[0].length));
}

/** The words of a header whose time can not be read; null when it has none. */
export const readUnclearDate = (header: string | undefined): string | null =>
  readMailDate(header) === null ? unfold(header) || null : null;

const unfold = (header = ''): string => header.replaceAll(/\s+/g, ' ').trim();

/** The hours in which people may be disturbed, where they live. */
import { readLocalTime } from '../../../platform/values/time-zone.ts';

// From eight in the morning to nine in the evening.
const FROM = 8 * 60;
const TO = 21 * 60;
const DAY_MINUTES = 24 * 60;
const STEP_MINUTES = 5;

/** Returns the time zones of a country (ISO 3166 alpha-2), or the given one when the country is not known. */
export function listTimeZones(country: string | null, otherwise: string): string[] {
  // The type library does not know this method yet.
  const locale = new Intl.Locale(`und-${country ?? 'ZZ'}`) as Intl.Locale & { getTimeZones(): string[] | undefined };
  const zones = country === null ? [] : (locale.getTimeZones() ?? []);
  return zones.length > 0 ? zones : [otherwise];
}

/**
 * Returns in how many minutes it is day in all these zones, because it is not known in which of them the person lives; zero while it is, and
 * when it never is day in all of them.
 */
export function findDayWait(zones: readonly string[], at: Date): number {
  const minutes = [...new Set(zones.map((zone) => readLocalTime(zone, at).minute))];
  for (let wait = 0; wait < DAY_MINUTES; wait += STEP_MINUTES) {
    const isDay = minutes.every((minute) => {
      const then = (minute + wait) % DAY_MINUTES;
      return then >= FROM && then < TO;
    });
    if (isDay) return wait;
  }
  return 0;
}

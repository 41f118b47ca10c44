/** Finds the country of a company that has not named one. */
import { PHONE_COUNTRIES } from './phone.ts';

/**
 * Returns the country (ISO 3166 alpha-2) in which the time zone is, or else the region that the language tag names; null when neither says
 * one country.
 */
export function deriveCountry({ time_zone, language }: { time_zone: string; language: string }): string | null {
  const region = new Intl.Locale(language).region ?? null;
  return findZoneCountry(time_zone) ?? (region !== null && PHONE_COUNTRIES.includes(region) ? region : null);
}

// UTC, CET or EST5EDT: a clock that many countries use.
const SHARED_CLOCK = /^[A-Z]{3}(\d[A-Z]{3})?$/;

function findZoneCountry(zone: string): string | null {
  if (SHARED_CLOCK.test(zone.toUpperCase())) return null;
  const countries = listZoneCountries();
  // Old and new names of a zone, such as Brazil/East, mean the same one, and Intl lists a country's zones by one of them.
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions();
  return countries.get(zone) ?? countries.get(timeZone) ?? null;
}

/** The countries of the time zones; null for a zone of several countries. */
let zoneCountries: Map<string, string | null> | null = null;

/** Builds the list when it is first needed, because that takes some tens of milliseconds. */
function listZoneCountries(): Map<string, string | null> {
  if (zoneCountries) return zoneCountries;
  const found = new Map<string, string | null>();
  for (const country of PHONE_COUNTRIES)
    for (const zone of new Intl.Locale(`und-${country}`).getTimeZones() ?? [])
      found.set(zone, found.has(zone) ? null : country);
  return (zoneCountries = found);
}

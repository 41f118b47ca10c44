/** Time zones as people look for them: by their cities, with the offset that holds now. */
import { findFormat } from '../../browser/formats.ts';
import { findByLanguage } from './by-language.ts';

interface ZoneOption {
  value: string;
  label: string;
}

/** Names of zones are written without accents. These are cities of our own languages. */
const ACCENTED: ReadonlyMap<string, string> = new Map([
  ['America/Araguaina', 'Araguaína'],
  ['America/Asuncion', 'Asunción'],
  ['America/Bahia_Banderas', 'Bahía de Banderas'],
  ['America/Belem', 'Belém'],
  ['America/Bogota', 'Bogotá'],
  ['America/Cancun', 'Cancún'],
  ['America/Cuiaba', 'Cuiabá'],
  ['America/Eirunepe', 'Eirunepé'],
  ['America/Maceio', 'Maceió'],
  ['America/Mazatlan', 'Mazatlán'],
  ['America/Merida', 'Mérida'],
  ['America/Panama', 'Panamá'],
  ['America/Santarem', 'Santarém'],
  ['America/Sao_Paulo', 'São Paulo'],
]);

/** "São Paulo", or "Buenos Aires, Argentina" where the name of the zone has three parts. */
const nameCity = (zone: string): string => {
  const accented = ACCENTED.get(zone);
  if (accented !== undefined) return accented;
  const [first = zone, ...parts] = zone.replaceAll('_', ' ').split('/');
  return parts.length === 0 ? first : parts.toReversed().join(', ');
};

/** UTC−3, or UTC+5:30 */
function findOffset(zone: string, at: Date): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'shortOffset' }).formatToParts(at);
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return offset.replace('GMT', 'UTC').replace('-', '−');
}

const toOption = (zone: string): ZoneOption => ({
  value: zone,
  label: zone === 'UTC' ? zone : `${nameCity(zone)} (${findOffset(zone, new Date())})`,
});

const listKnown = findByLanguage((language) => {
  const zones = Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC' && !zone.startsWith('Etc/'));
  const options = zones.map((zone) => toOption(zone));
  return [toOption('UTC'), ...options.toSorted((a, b) => a.label.localeCompare(b.label, language))];
});

/** All time zones, with the one that the company has even if this browser has another name for it. */
export function listTimeZones(language: string, current: string): readonly ZoneOption[] {
  const known = listKnown(language);
  return known.some(({ value }) => value === current) ? known : [{ value: current, label: current }, ...known];
}

/** What a clock shows there; null for a zone that this browser does not know. */
export function formatLocalTime(language: string, zone: string, at: Date): string | null {
  try {
    return findFormat(language, { timeZone: zone, timeStyle: 'short' }).format(at);
  } catch {
    // Failure policy: the time is only an explanation, so the field goes without it.
    return null;
  }
}

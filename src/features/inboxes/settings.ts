/** Channel settings between the caller and the store: secrets sealed at rest, masked in answers, and a mask kept as it is. */
import { isDeepStrictEqual } from 'node:util';
import type { Channel, ChannelSettings } from '../../channels/channel.ts';
import { own } from '../../platform/own.ts';
import { isMask, mask, type Secrets } from '../../platform/secrets.ts';
import { invalid } from '../../platform/errors.ts';
import type { InboxRow, Settings } from './queries.ts';

const secretContext = (row: { company: string; _id: string }, property: string): string =>
  `${row.company}:inbox:${row._id}:${property}`;

/** The settings that the inbox has for its channel, as they are stored; null when it has none. */
export const readSettings = (row: InboxRow, { settings }: Channel): Settings | null =>
  (settings && own(row.settings, settings.field)) ?? null;

/** The settings as the network needs them. */
export function openSettings(row: InboxRow, { settings }: Channel, secrets: Secrets): Settings {
  const stored = settings && own(row.settings, settings.field);
  if (!stored) return {};
  return mapSecrets(stored, settings, (value, property) => secrets.open(value, secretContext(row, property)));
}

/**
 * The settings to store: what the caller gives, its secrets sealed. A mask, or a secret left out, keeps the stored one.
 */
export function sealSettings(row: InboxRow, settings: ChannelSettings, given: Settings, secrets: Secrets): Settings {
  const { field } = settings;
  const stored = own(row.settings, field) ?? null;
  const merged = new Map(Object.entries(given));
  for (const property of settings.secrets) {
    const value = merged.get(property);
    if (value === undefined || (typeof value === 'string' && isMask(value))) {
      const kept = own(stored ?? {}, property) ?? null;
      if (kept === null && value !== undefined)
        throw invalid(`${field}.${property}`, 'is a mask, and nothing is stored behind it');
      if (kept !== null && stored && !callsSameTargets(settings, stored, given))
        throw invalid(`${field}.${property}`, 'has to be given anew with another address');
      merged.set(property, kept);
    } else if (typeof value === 'string') {
      merged.set(property, secrets.seal(value, secretContext(row, property)));
    }
  }
  return Object.fromEntries(merged);
}

/** A secret goes where it was meant to go: whoever may not see it must not be able to send it elsewhere. */
function callsSameTargets({ targets }: ChannelSettings, stored: Settings, given: Settings): boolean {
  return isDeepStrictEqual(targets(stored), targets(given));
}

/** Everything that an answer shows of an inbox's settings: a property for each channel that it has settings for. */
export function showSettings(
  row: InboxRow,
  all: readonly ChannelSettings[],
  secrets: Secrets,
): Record<string, Settings> {
  const shown = all.flatMap((settings) => {
    const stored = own(row.settings, settings.field);
    if (!stored) return [];
    const open = (value: string, property: string): string => mask(secrets.open(value, secretContext(row, property)));
    return [[settings.field, mapSecrets(stored, settings, open)]];
  });
  return Object.fromEntries(shown) as Record<string, Settings>;
}

function mapSecrets(
  stored: Settings,
  { secrets }: ChannelSettings,
  change: (value: string, property: string) => string,
): Settings {
  const changed = secrets.map((property) => {
    const value = own(stored, property);
    return [property, typeof value === 'string' ? change(value, property) : null];
  });
  return { ...stored, ...Object.fromEntries(changed) };
}

/** Encrypts the secrets in channel settings for the database, decrypts them for the network, and masks them in answers. */
import { isDeepStrictEqual } from 'node:util';
import type { Channel, ChannelSettings } from '../../channels/channel.ts';
import { own } from '../../platform/own.ts';
import { isMask, mask, type Secrets } from '../../platform/secrets.ts';
import { invalid } from '../../platform/errors.ts';
import type { InboxRow, Settings } from './queries.ts';

const secretContext = (row: { company: string; _id: string }, property: string): string =>
  `${row.company}:inbox:${row._id}:${property}`;

/** Returns the stored settings of the inbox for its channel, with encrypted secrets; null when there are none. */
export const readSettings = (row: InboxRow, { settings }: Channel): Settings | null =>
  (settings && own(row.settings, settings.field)) ?? null;

/** Returns the settings of the inbox for its channel, with decrypted secrets. */
export function openSettings(row: InboxRow, { settings }: Channel, secrets: Secrets): Settings {
  const stored = settings && own(row.settings, settings.field);
  if (!stored) return {};
  return mapSecrets(stored, settings, (value, property) => secrets.open(value, secretContext(row, property)));
}

/** Encrypts the secrets in the settings that a caller gives. A secret that is a mask or absent keeps its stored value. */
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

/**
 * Returns true when the settings call the same addresses as the stored ones. Only then a stored secret
 * is kept, because callers must not be able to send a secret that they can not see to another address.
 */
function callsSameTargets({ targets }: ChannelSettings, stored: Settings, given: Settings): boolean {
  return isDeepStrictEqual(targets(stored), targets(given));
}

/** Returns the settings as answers show them, with masked secrets: one property for each channel that the inbox has settings for. */
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

/** Encrypts the secrets in channel settings for the database, decrypts them for the network, and masks them in answers. */
import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../../channels/channel.ts';
import { CHANNEL_SETTINGS } from '../../channels/registry.ts';
import type { ChannelSettings } from '../../channels/settings.ts';
import { getOwnProperty } from '../../platform/values/own-property.ts';
import { isMaskedSecret, maskSecret, type Secrets } from '../../platform/store/secrets.ts';
import { invalid, unknownReference } from '../../platform/values/errors.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { listAllDefinitions } from '../custom-fields/values.ts';
import type { InboxRow, Settings } from './queries.ts';

const secretContext = (row: { company: string; _id: string }, property: string): string =>
  `${row.company}:inbox:${row._id}:${property}`;

/** Returns the stored settings of the inbox for its channel, with encrypted secrets; null when there are none. */
export const readSettings = (row: InboxRow, { settings }: Channel): Settings | null =>
  (settings && getOwnProperty(row.settings, settings.field)) ?? null;

/** Returns the settings of the inbox for its channel, with decrypted secrets. */
export function openSettings(row: InboxRow, { settings }: Channel, secrets: Secrets): Settings {
  const stored = settings && getOwnProperty(row.settings, settings.field);
  if (!stored) return {};
  return mapSecrets(stored, settings, (value, property) => secrets.open(value, secretContext(row, property)));
}

/** Returns the channel settings in a body, which the schema has validated, with the initial values of what it leaves out. */
export function givenSettings(input: object): [ChannelSettings, Settings][] {
  return CHANNEL_SETTINGS.flatMap((settings) => {
    const given = getOwnProperty(input as Record<string, Settings>, settings.field);
    return given ? [[settings, { ...settings.initial, ...given }]] : [];
  });
}

/** The settings of a new inbox on a channel that needs none of a caller. */
export const initialSettings = ({ settings }: Channel): Record<string, Settings> =>
  settings?.initial ? { [settings.field]: settings.initial } : {};

/** The network's address of an inbox with these settings. */
export const findAddress = ({ address }: ChannelSettings, stored: Settings, inbox: string): string =>
  address ? address(stored) : inbox;

/** Throws UNKNOWN_REFERENCE when the settings in a body name a custom field that contacts do not have. */
export async function expectCustomFields(tx: TenantRead, input: object): Promise<void> {
  const named = givenSettings(input).flatMap(([{ field, customFields }, given]) =>
    (customFields?.(given) ?? []).map(({ path, slug }) => ({ path: `${field}.${path}`, slug })),
  );
  if (named.length === 0) return;
  const known = new Set((await listAllDefinitions(tx, 'contact')).map(({ slug }) => slug));
  const unknown = named.find(({ slug }) => !known.has(slug));
  if (unknown) throw unknownReference(unknown.path);
}

type Sealed = Pick<InboxRow, 'company' | '_id' | 'settings'>;

/** Encrypts the secrets in the settings in a body. A secret that is a mask or absent keeps its stored value. */
export const sealSettings = (row: Sealed, input: object, secrets: Secrets): Record<string, Settings> =>
  Object.fromEntries(
    givenSettings(input).map(([settings, given]) => [settings.field, seal(row, settings, given, secrets)]),
  );

function seal(row: Sealed, settings: ChannelSettings, given: Settings, secrets: Secrets): Settings {
  const { field } = settings;
  const stored = getOwnProperty(row.settings, field) ?? null;
  const merged = new Map(Object.entries(given));
  for (const property of settings.secrets) {
    const value = merged.get(property);
    if (value === undefined || (typeof value === 'string' && isMaskedSecret(value))) {
      const kept = getOwnProperty(stored ?? {}, property) ?? null;
      if (kept === null && value !== undefined)
        throw invalid(`${field}.${property}`, 'is a mask, but no value is stored');
      const isSent = !settings.ownSecrets?.includes(property);
      if (kept !== null && stored && isSent && !callsSameTargets(settings, stored, given))
        throw invalid(`${field}.${property}`, 'must be entered again for another address');
      merged.set(property, kept);
    } else if (typeof value === 'string') {
      merged.set(property, secrets.seal(value, secretContext(row, property)));
    }
  }
  return Object.fromEntries(merged);
}

/**
 * Returns true when the settings call the same addresses as the stored ones. Only then a stored secret
 * is kept, because callers must not be able to send a secret that they cannot see to another address.
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
    const stored = getOwnProperty(row.settings, settings.field);
    if (!stored) return [];
    const open = (value: string, property: string): string =>
      maskSecret(secrets.open(value, secretContext(row, property)));
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
    const value = getOwnProperty(stored, property);
    return [property, typeof value === 'string' ? change(value, property) : null];
  });
  return { ...stored, ...Object.fromEntries(changed) };
}

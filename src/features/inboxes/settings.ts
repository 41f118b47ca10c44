/** Channel settings between the caller and the store: secrets sealed at rest, masked in answers, and a mask kept as it is. */
import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../../channels/channel.ts';
import { own } from '../../platform/own.ts';
import { isMask, mask, type Secrets } from '../../platform/secrets.ts';
import { invalid } from '../../platform/errors.ts';
import type { ChannelSettings, InboxRow } from './queries.ts';

const contextOf = (row: { company: string; _id: string }, field: string): string =>
  `${row.company}:inbox:${row._id}:${field}`;

export function settingsOf(row: InboxRow, channel: Channel): ChannelSettings | null {
  return channel.configField ? row[channel.configField] : null;
}

/** The settings as the network needs them. */
export function openSettings(row: InboxRow, channel: Channel, secrets: Secrets): ChannelSettings {
  const stored = settingsOf(row, channel) ?? {};
  return mapSecrets(stored, channel, (value, field) => secrets.open(value, contextOf(row, field)));
}

/**
 * The settings to store: what the caller gives, its secrets sealed. A mask, or a secret left out, keeps the stored one.
 */
export function sealSettings(
  row: InboxRow,
  channel: Channel,
  given: ChannelSettings,
  secrets: Secrets,
): ChannelSettings {
  const stored = settingsOf(row, channel);
  const merged = new Map(Object.entries(given));
  for (const field of channel.secrets) {
    const value = merged.get(field);
    if (value === undefined || (typeof value === 'string' && isMask(value))) {
      const kept = own(stored ?? {}, field) ?? null;
      if (kept === null && value !== undefined)
        throw invalid(`${channel.configField}.${field}`, 'is a mask, and nothing is stored behind it');
      if (kept !== null && stored && !callsSameTargets(channel, stored, given))
        throw invalid(`${channel.configField}.${field}`, 'has to be given anew with another address');
      merged.set(field, kept);
    } else if (typeof value === 'string') {
      merged.set(field, secrets.seal(value, contextOf(row, field)));
    }
  }
  return Object.fromEntries(merged);
}

/** A secret goes where it was meant to go: whoever may not see it must not be able to send it elsewhere. */
function callsSameTargets(channel: Channel, stored: ChannelSettings, given: ChannelSettings): boolean {
  return isDeepStrictEqual(channel.targets(stored), channel.targets(given));
}

/** The settings as an answer shows them. */
export function maskSettings(row: InboxRow, channel: Channel, secrets: Secrets): ChannelSettings {
  return mapSecrets(openSettings(row, channel, secrets), channel, mask);
}

function mapSecrets(
  settings: ChannelSettings,
  channel: Channel,
  change: (value: string, field: string) => string,
): ChannelSettings {
  const changed = channel.secrets.map((field) => {
    const value = own(settings, field);
    return [field, typeof value === 'string' ? change(value, field) : null];
  });
  return { ...settings, ...Object.fromEntries(changed) };
}

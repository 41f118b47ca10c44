/** The list of channels. A new channel needs a folder and a line here; the contract tests then cover it without further work. */
import type { Channel, ChannelDeclaration } from './channel.ts';
import type { ChannelEnvironment } from './environment.ts';
import type { MediaFormat } from './media.ts';
import { emailChannel } from './email/index.ts';
import { partnerApiChannel } from './partner-api/index.ts';
import { professionalNetworkChannel } from './professional-network/index.ts';
import { wapAutoCloserChannel } from './wap-auto-closer/index.ts';
import type { ChannelSettings } from './settings.ts';
import { webV2Channel } from './web-v2/index.ts';
import type { Outbound } from '../platform/outside/outbound.ts';
import type { Callers } from '../platform/work/callers.ts';
import { expectAllOrNone, readSettings, type SettingTable, type Variables } from '../platform/values/setting-kinds.ts';

const CHANNELS = [wapAutoCloserChannel, webV2Channel, partnerApiChannel, professionalNetworkChannel, emailChannel];

export type ChannelName = (typeof CHANNELS)[number]['name'];
export const CHANNEL_NAMES: readonly ChannelName[] = CHANNELS.map(({ name }) => name);

/** The settings of all channels that have settings. An inbox has one property for each of them. */
export const CHANNEL_SETTINGS: readonly ChannelSettings[] = CHANNELS.flatMap(
  ({ settings }) => (settings as ChannelSettings | null) ?? [],
);

const WITH_TEMPLATES: ReadonlySet<string> = new Set(
  CHANNELS.filter(({ can }) => can.templates).map(({ name }) => name),
);

/** The files that each channel sends. */
export const CHANNEL_MEDIA: readonly { channel: ChannelName; media: readonly MediaFormat[] }[] = CHANNELS.map(
  ({ name, can }) => ({ channel: name, media: can.media }),
);

/** Whether an inbox has templates. On some channels only those have them whose network has named an account. */
export const hasTemplates = (channel: ChannelName, account: string | null): boolean =>
  account !== null && WITH_TEMPLATES.has(channel);

/** Returns how a channel translates what was fetched, for processes that call no network; undefined when it fetches nothing. */
export const findTranslator = (name: string): ChannelDeclaration['translate'] =>
  (CHANNELS as ChannelDeclaration[]).find((channel) => channel.name === name)?.translate;

/** Returns how a channel takes a file out of what was pushed; undefined when nothing is pushed to it. */
export const findExtractor = (name: string): ChannelDeclaration['extractFile'] =>
  (CHANNELS as ChannelDeclaration[]).find((channel) => channel.name === name)?.extractFile;

export type IdentityPlaces = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface Channels {
  get(name: ChannelName): NamedChannel;
  all(): NamedChannel[];
  /** By the channel's name, the place of each of its kinds of names; the most reliable kind has place 0. */
  identityPlaces: IdentityPlaces;
}

export type NamedChannel = Channel & { name: ChannelName };

/** The operator's settings that channels read. */
export const CHANNEL_VARIABLES: SettingTable = Object.fromEntries(
  (CHANNELS as ChannelDeclaration[]).flatMap(({ environment }) => Object.entries(environment?.settings ?? {})),
);

export interface ChannelsOptions {
  /** What the operator has set, without what is empty. */
  variables: Variables;
  /** What leads to the sandbox wherever the operator has set nothing; empty while there is no sandbox. */
  sandbox: Variables;
  outbound: Outbound;
  callers: Callers;
}

/** Opens each channel with its own settings. Throws one sentence that names the wrong setting. */
export function createChannels({ variables, sandbox, ...access }: ChannelsOptions): Channels {
  const channels = (CHANNELS as ChannelDeclaration<ChannelName>[]).map(({ environment, open, ...channel }) => ({
    ...channel,
    ...open?.({ environment: readEnvironment(environment, variables, sandbox), ...access }),
  }));
  const byName = new Map(channels.map((channel) => [channel.name, channel]));
  return {
    get: (name) => {
      const channel = byName.get(name);
      if (!channel) throw new Error(`no channel is called ${name}`);
      return channel;
    },
    all: () => channels,
    identityPlaces: Object.fromEntries(
      channels.map(({ name, identities }) => [
        name,
        Object.fromEntries(identities.map(({ kind }, place) => [kind, place])),
      ]),
    ),
  };
}

/** Reads the settings that a channel has declared, and no others. Throws one sentence that names the wrong or missing setting. */
export function readEnvironment(
  { settings, together }: ChannelEnvironment = { settings: {} },
  variables: Variables,
  sandbox: Variables,
): Readonly<Record<string, unknown>> {
  const given = Object.entries(readSettings(settings, variables));
  if (together) {
    const needed = given.filter(([name]) => together.names.includes(name));
    expectAllOrNone(Object.fromEntries(needed), together.purpose);
  }
  return readSettings(settings, { ...sandbox, ...variables });
}

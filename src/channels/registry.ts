/** The list of channels. Adding one is a folder and a line here; the contract suite then runs over it by itself. */
import type { Outbound } from '../platform/outbound.ts';
import type { CallbackTranslator, Channel, ChannelName } from './channel.ts';
import { emailChannel } from './email/index.ts';
import { partnerApiChannel } from './partner-api/index.ts';
import { professionalNetworkChannel } from './professional-network/index.ts';
import { createWapAutoCloser } from './wap-auto-closer/index.ts';
import { webV2Channel } from './web-v2/index.ts';

export interface Channels {
  get(name: ChannelName): Channel;
  all(): Channel[];
  /** The translator behind /hooks/wap. */
  wap: CallbackTranslator;
}

export interface ChannelSettings {
  graphUrl: string;
  appSecret: string | null;
  outbound: Outbound;
}

export function createChannels(settings: ChannelSettings): Channels {
  const wap = createWapAutoCloser(settings);
  const channels = [wap, webV2Channel, partnerApiChannel, professionalNetworkChannel, emailChannel] as Channel[];
  const byName = new Map(channels.map((channel) => [channel.name, channel]));
  return {
    get: (name) => {
      const channel = byName.get(name);
      if (!channel) throw new Error(`no channel is called ${name}`);
      return channel;
    },
    all: () => channels,
    wap,
  };
}

/** The web chat: no network of others, so no settings and no address. */
import { Type } from 'typebox';
import type { Channel } from '../channel.ts';

export const webV2Channel: Channel = {
  name: 'WEB_V2',
  configField: null,
  config: Type.Object({}),
  secrets: [],
  needsNumber: false,
  can: { text: false, markRead: false, window24h: false, reportsFailures: false },
  address: () => null,
  targets: () => [],
};

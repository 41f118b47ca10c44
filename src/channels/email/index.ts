/** E-mail: its mailbox settings come with its own issue; until then an inbox of it neither sends nor receives. */
import { Type } from 'typebox';
import type { Channel } from '../channel.ts';

export const emailChannel: Channel = {
  name: 'EMAIL',
  configField: null,
  config: Type.Object({}),
  secrets: [],
  needsNumber: false,
  can: { text: false, markRead: false, window24h: false, reportsFailures: false },
  address: () => null,
  targets: () => [],
};

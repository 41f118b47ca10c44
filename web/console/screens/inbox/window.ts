import type { Conversation } from '@parley/sdk';

/** True when the network no longer takes anything but templates. Channels without a window have no end of it. */
export function isWindowClosed({
  window_expires_at,
  channel,
}: Pick<Conversation, 'window_expires_at' | 'channel'>): boolean {
  if (window_expires_at !== null) return Date.parse(window_expires_at) < Date.now();
  return channel === 'WAP_AUTO_CLOSER';
}

/** The reasons for which the platform itself does not send a message, without a call to the network. */
import type { Channel } from '../../channels/channel.ts';
import type { ContentType } from '../../channels/content.ts';
import { isNamedIn } from '../inboxes/test-people.ts';
import type { SendTarget } from './queries.ts';
import type { Cause, PlatformCause } from './schemas.ts';

const cause = (code: PlatformCause, title: string, message: string): Cause => ({ code, title, message, details: '' });

/** The account would send more quickly than its network bears. */
export const tooSoon = (seconds: number): Cause =>
  cause(
    'RATE_LIMITED',
    'Too fast',
    `The account is sending too fast for its network. It can send again in ${Math.max(1, Math.ceil(seconds))} seconds`,
  );

export const OVER_ACCOUNTS_DAY = cause(
  'DAILY_LIMIT',
  'Daily limit',
  'The account has reached its daily limit of messages',
);

export const OVER_DAILY_LIMIT = cause(
  'DAILY_LIMIT',
  'Daily limit',
  'The business has reached the daily limit of its network',
);

/** Returns why the platform sends nothing to this recipient; null when messages may be sent. */
export function findRecipientBlock(
  { blocked, opted_out, test_mode, to }: Pick<SendTarget, 'blocked' | 'opted_out' | 'test_mode' | 'to'>,
  channel: Pick<Channel, 'identities'>,
): Cause | null {
  if (blocked) return cause('BLOCKED', 'Contact blocked', 'The company has blocked the contact');
  if (opted_out) return cause('OPTED_OUT', 'Contact opted out', 'The contact has opted out');
  const { enabled, test_numbers } = test_mode;
  if (!enabled || isNamedIn(channel, test_numbers, to ? [to] : [])) return null;
  return cause('TEST_MODE_BLOCKED', 'Test mode', 'The inbox is in test mode and this contact is not a test number');
}

/** Returns why the platform does not send this message; null when the message may be sent. */
export function findBlock(target: SendTarget, channel: Channel, contentType: ContentType): Cause | null {
  if (target.inbox_status !== 'ACTIVE') return cause('INBOX_INACTIVE', 'Inbox inactive', 'The inbox is deleted');
  if (!channel.can.content.includes(contentType))
    return cause('PROVIDER_REJECTED', 'Not sent', `The channel cannot send ${contentType}`);
  const refused = findRecipientBlock(target, channel);
  if (refused) return refused;
  // The network takes templates at any time.
  if (channel.can.window24h && !target.window_open && contentType !== 'TEMPLATE') {
    return cause(
      'WINDOW_EXPIRED',
      'Window expired',
      'The contact has not written in the last 24 hours; send a template',
    );
  }
  return null;
}

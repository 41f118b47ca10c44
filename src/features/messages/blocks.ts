/** The reasons for which the platform itself does not send a message, without a call to the network. */
import type { Channel } from '../../channels/channel.ts';
import type { ContentType } from '../../channels/content.ts';
import { isNamedIn } from '../inboxes/test-people.ts';
import type { SendTarget } from './queries.ts';
import type { Cause, PlatformCause } from './schemas.ts';

const cause = (code: PlatformCause, title: string, message: string): Cause => ({ code, title, message, details: '' });

/** Returns why the platform does not send this message; null when the message may be sent. */
export function findBlock(target: SendTarget, channel: Channel, contentType: ContentType): Cause | null {
  if (target.inbox_status !== 'ACTIVE') return cause('INBOX_INACTIVE', 'Inbox inactive', 'The inbox is deleted');
  if (!channel.can.content.includes(contentType))
    return cause('PROVIDER_REJECTED', 'Not sent', `The channel can not send ${contentType}`);
  if (target.blocked) return cause('BLOCKED', 'Contact blocked', 'The company has blocked the contact');
  if (target.opted_out) return cause('OPTED_OUT', 'Contact opted out', 'The contact does not want messages');
  const { enabled, test_numbers } = target.test_mode;
  if (enabled && !isNamedIn(channel, test_numbers, target.to ? [target.to] : [])) {
    return cause('TEST_MODE_BLOCKED', 'Test mode', 'The inbox is in test mode and this contact is no test number');
  }
  if (channel.can.window24h && !target.window_open) {
    return cause(
      'WINDOW_EXPIRED',
      'Window expired',
      'The contact has not written in the last 24 hours; send a template',
    );
  }
  return null;
}

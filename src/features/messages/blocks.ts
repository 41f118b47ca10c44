/** The reasons for which the platform itself does not send a message, without a call to the network. */
import { listParts, type MessageContent } from '../../channels/content.ts';
import { EMAIL_ADDRESS } from '../../channels/identity.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import { ask, findRefusal, nameKey, STRANGER } from '../admission/admission.ts';
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

/** Returns why the platform does not send this message; null when the message may be sent. */
export function findBlock(target: SendTarget, channel: NamedChannel, content: MessageContent): Cause | null {
  const { inbox_status: status, test_mode, blocked, opted_out, window_open } = target;
  const asking = ask('MESSAGE', channel, { status, test_mode }, content);
  for (const to of [target.to, ...listCopied(content).map(EMAIL_ADDRESS.identify)]) {
    const refusal = findRefusal({ ...STRANGER, blocked, opted_out, window_open, name: to && nameKey(to) }, asking);
    if (refusal) return { ...refusal, details: '' };
  }
  return null;
}

/** Returns the addresses that the writer of a mail has named. */
export function listCopied(content: MessageContent): string[] {
  const { to = [], cc = [], bcc = [] } = listParts(content).email ?? {};
  return [...to, ...cc, ...bcc];
}

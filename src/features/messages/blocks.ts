/** The reasons for which the platform itself does not send a message, without a call to the network. */
import type { ContentType } from '../../channels/content.ts';
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
export function findBlock(target: SendTarget, channel: NamedChannel, contentType: ContentType): Cause | null {
  const { inbox_status: status, test_mode, blocked, opted_out, window_open, to } = target;
  const facts = { ...STRANGER, blocked, opted_out, window_open, name: to && nameKey(to) };
  const refusal = findRefusal(facts, ask('MESSAGE', channel, { status, test_mode }, { contentType }));
  return refusal && { ...refusal, details: '' };
}

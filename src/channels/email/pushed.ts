/** Mails that a mail server or a provider hands over as they arrived, at the path of their inbox. */
import { isSameSecret } from '../../platform/store/secrets.ts';
import type { PushedItems } from '../fetching.ts';
import { MAX_MAIL_BYTES } from './limits.ts';
import type { EmailConfig } from './settings.ts';

export const pushedMails: PushedItems<EmailConfig> = {
  path: '/hooks/email',
  contentTypes: ['message/rfc822', 'application/octet-stream', 'text/plain'],
  maxBytes: MAX_MAIL_BYTES,
  isAllowed: ({ 'x-hook-secret': secret }, { hook_secret }) =>
    typeof secret === 'string' && isSameSecret(secret, hook_secret ?? null),
  findRecipient: ({ address }) => address.toLowerCase(),
};

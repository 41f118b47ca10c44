/** The names of the channels; they are names of products, so they are the same in each language. */
import type { Inbox } from '@parley/sdk';

export const CHANNEL_NAMES: Readonly<Record<Inbox['channel'], string>> = {
  WAP_AUTO_CLOSER: 'WhatsApp',
  WEB_V2: 'Web chat',
  PARTNER_API: 'WhatsApp (gateway)',
  PROFESSIONAL_NETWORK: 'LinkedIn',
  EMAIL: 'E-mail',
};

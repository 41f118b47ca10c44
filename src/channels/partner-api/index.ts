/** WhatsApp through the gateway of a partner: an instance of an Evolution API server (version 2), which the company runs or rents. */
import { declareChannel, SILENT, type ChannelNetwork, type NetworkAccess } from '../channel.ts';
import type { ContentType } from '../content.ts';
import { PHONE_NUMBER } from '../identity.ts';
import { WHATSAPP_MARKS } from '../marks.ts';
import { isSameSecret } from '../../platform/store/secrets.ts';
import { fetchFile } from './fetch-file.ts';
import { CLOUD_API_SETTINGS, refusesTemplate } from '../templates/cloud-api.ts';
import { findOverload, refusesCredentials } from './gateway.ts';
import { checkInstance, pairInstance, SECRET_HEADER } from './instance.ts';
import { LID_NAME } from './jid.ts';
import { PARTNER_MEDIA } from './media.ts';
import { extractFile, mayCarryFiles, parseEvent } from './parse.ts';
import { partnerSamples } from './samples.ts';
import { findNumbers, markRead, revokeMessage, sendMessage, showTyping } from './send.ts';
import { partnerApiSettings, type PartnerApiConfig } from './settings.ts';
import { createPartnerTemplates } from './templates.ts';

const CONTENT: readonly ContentType[] = [
  'TEXT',
  'LOCATION',
  'CONTACTS',
  'REACTION',
  'TEMPLATE',
  ...PARTNER_MEDIA.map(({ contentType }) => contentType),
];

export const partnerApiChannel = declareChannel<'PARTNER_API', PartnerApiConfig, typeof CLOUD_API_SETTINGS>({
  ...SILENT,
  name: 'PARTNER_API',
  environment: { settings: CLOUD_API_SETTINGS },
  settings: partnerApiSettings,
  needsNumber: true,
  identities: [PHONE_NUMBER, LID_NAME],
  can: {
    ...SILENT.can,
    content: CONTENT,
    // A paired phone takes more, but an instance may also be connected to the Cloud API.
    maxText: 4_096,
    marks: WHATSAPP_MARKS,
    media: PARTNER_MEDIA,
    markRead: true,
    typing: true,
    revoke: true,
    templates: true,
    echoesSends: true,
  },
  samples: partnerSamples,
  extractFile,
  open: openNetwork,
});

function openNetwork(network: NetworkAccess<typeof CLOUD_API_SETTINGS>): ChannelNetwork<PartnerApiConfig> {
  return {
    check: (config, signal, callback) => checkInstance(network, { config, signal }, callback),
    findNumbers: (numbers, config, signal) => findNumbers(network, numbers, { config, signal }),
    pair: (config, signal) => pairInstance(network, { config, signal }),
    send: (message, config, signal) => sendMessage(network, message, config, signal),
    markRead: (message, config, signal) => markRead(network, message, { config, signal }),
    showTyping: (message, config, signal) => showTyping(network, message, { config, signal }),
    revoke: (sent, config, signal) => revokeMessage(network, sent, { config, signal }),
    fetchFile: (wanted, config, signal) => fetchFile(network, wanted, config, signal),
    templates: createPartnerTemplates(network),
    findOverload,
    refusesTemplate,
    refusesCredentials,
    inboxCallbacks: {
      path: '/hooks/partner',
      beginCheck: ({ [SECRET_HEADER]: secret }, { verifyToken }) =>
        typeof secret === 'string' ? { add: () => undefined, holds: () => isSameSecret(secret, verifyToken) } : null,
      mayCarryFiles,
      parse: parseEvent,
    },
  };
}

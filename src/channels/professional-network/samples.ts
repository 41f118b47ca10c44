/** Examples for the contract tests of channels. */
import { TEXT_AND_FILES, type Samples } from '../content.ts';
import { professionalNetworkSettings } from './settings.ts';

const ACCOUNT = professionalNetworkSettings.sample.account_id;
const OWN = 'ACoAAOwnOwnOwnOwnOwnOwnOwnOwnOwnOwn0001';
const ANA = {
  attendee_id: 'attendee-1',
  attendee_provider_id: 'ACoAAAnaAnaAnaAnaAnaAnaAnaAnaAnaAna0001',
  attendee_name: 'Ana Sá',
  attendee_profile_url: 'https://www.linkedin.com/in/ana-sa',
  attendee_public_identifier: 'ana-sa',
};
const SELLER = { ...ANA, attendee_provider_id: OWN, attendee_name: 'Vera Lima', attendee_public_identifier: 'vera' };

const announce = (event: string, message_id: string, more: object = {}) => ({
  event,
  account_id: ACCOUNT,
  account_type: 'LINKEDIN',
  account_info: { type: 'LINKEDIN', feature: 'classic', user_id: OWN },
  webhook_name: 'parley',
  chat_id: 'chat-1',
  provider_chat_id: '2-abc',
  message_id,
  provider_message_id: `2-${message_id}`,
  message: 'Bom dia!',
  subject: null,
  timestamp: '2026-06-15T12:00:00.000Z',
  sender: ANA,
  attendees: [ANA],
  attachments: [],
  is_sender: false,
  is_event: 0,
  is_group: false,
  quoted: null,
  reply_to: null,
  message_type: 'MESSAGE',
  folder: ['INBOX'],
  event_type: null,
  ...more,
});
const OURS = { sender: SELLER, is_sender: true };

export const networkSamples: Samples = {
  number: null,
  contents: [...TEXT_AND_FILES, { contentType: 'REACTION', reaction: { externalId: 'm-1', emoji: '👍' } }],
  callbacks: [
    announce('message_received', 'm-1'),
    announce('message_received', 'm-2', OURS),
    announce('message_received', 'm-3', {
      attachments: [{ type: 'img', id: 'a-1', mimetype: 'image/jpeg', file_size: 5120, unavailable: false }],
    }),
    announce('message_read', 'm-2', OURS),
    announce('message_delivered', 'm-2', OURS),
    announce('message_reaction', 'm-2', { ...OURS, reaction: '👍', reaction_sender: ANA }),
    announce('message_reaction', 'm-1', { reaction: '🎉', reaction_sender: SELLER }),
    announce('message_edited', 'm-1', { message: 'Boa tarde!' }),
    announce('message_deleted', 'm-1'),
    { AccountStatus: { account_id: ACCOUNT, account_type: 'LINKEDIN', message: 'OK' } },
  ],
};

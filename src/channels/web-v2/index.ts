/**
 * The web chat on a company's own site. The platform itself is its network: a sent message is accepted as soon as it is stored, visitors read
 * it by the visitor API (features/web-chat), and what they write and report comes from there as well.
 */
import { FILE_TYPES } from '../../platform/work/media/formats.ts';
import { declareChannel, SILENT, type ChannelNetwork } from '../channel.ts';
import { makeInteractiveOffer, type MessageContent } from '../content.ts';
import { EMAIL_ADDRESS, EXTERNAL_ID, VISITOR } from '../identity.ts';
import { WEB_MEDIA } from './media.ts';
import type { WebConfig } from '../web-config.ts';
import { webSettings } from './settings.ts';

// Of an interactive message, a visitor sees the text, and the reply buttons or the rows of the list.
const SAMPLES: readonly MessageContent[] = [
  { contentType: 'TEXT', content: 'Hello' },
  {
    contentType: 'INTERACTIVE',
    content: 'Shall we call you?',
    interactive: makeInteractiveOffer('button', {
      action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] },
    }),
  },
  { contentType: 'LOCATION', location: { latitude: 52.52, longitude: 13.4, name: 'Shop', address: null, url: null } },
  ...FILE_TYPES.map((contentType) => ({ contentType })),
];

export const webV2Channel = declareChannel<'WEB_V2', WebConfig>({
  ...SILENT,
  name: 'WEB_V2',
  settings: webSettings,
  // A site proves the id in its own system and perhaps the e-mail address of a known visitor; everybody has the id of a browser.
  identities: [EXTERNAL_ID, EMAIL_ADDRESS, VISITOR],
  contactSource: 'WIDGET',
  can: {
    ...SILENT.can,
    content: SAMPLES.map(({ contentType }) => contentType),
    replyButtons: 10,
    showsAuthors: true,
    media: WEB_MEDIA,
    markRead: true,
    typing: true,
    revoke: true,
  },
  samples: { ...SILENT.samples, contents: SAMPLES },
  open: (): ChannelNetwork<WebConfig> => ({
    check: () => Promise.resolve({ ok: true, coexistence: null }),
    send: ({ messageId, to }) => Promise.resolve({ outcome: 'accepted', externalId: messageId, person: to }),
    // Visitors see these by their live stream.
    markRead: () => Promise.resolve(),
    showTyping: () => Promise.resolve(),
    revoke: () => Promise.resolve(),
  }),
});

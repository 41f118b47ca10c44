/** Sends places, contact cards, reactions and offers to choose from. They have no file, and are written in a form that suits every network. */
import { makeInteractiveOffer, type ContentOf, type MessageContent } from '../../../channels/content.ts';
import type { Kit } from '../../../kit.ts';
import { invalid } from '../../../platform/values/errors.ts';
import type { Acting } from '../../../platform/store/tenant.ts';
import { readRecipient } from '../recipients.ts';
import type { Message } from '../schemas.ts';
import { sendMessage } from '../send.ts';
import type { ContactCard, Offer, SendContent } from './schemas.ts';
import { expectTarget, sendReaction } from './send-reaction.ts';

type Given = SendContent['message'];

export async function sendContent(
  kit: Kit,
  acting: Acting,
  { message, replyTo = null, ...given }: SendContent,
): Promise<Message> {
  const recipient = readRecipient(given);
  if (message.contentType === 'REACTION')
    return sendReaction(kit, acting, given, expectPart(message.reaction, 'reaction'));
  // Also a part that another contentType leaves out names a message.
  if (message.reaction) await expectTarget(acting, message.reaction.message);
  return sendMessage(kit, acting, recipient, { content: readContent(message), attachment: null, replyTo });
}

function expectPart<T>(part: T | undefined, name: keyof Given): T {
  if (part === undefined) throw invalid(`message.${name}`, 'is required by the contentType', 'REQUIRED');
  return part;
}

function readContent(message: Given): MessageContent {
  const contentType = message.contentType as Exclude<Given['contentType'], 'REACTION'>;
  switch (contentType) {
    case 'LOCATION': {
      const { name = null, address = null, ...at } = expectPart(message.location, 'location');
      return { contentType, location: { ...at, name, address, url: null } };
    }
    case 'CONTACTS':
      return { contentType, contacts: expectPart(message.contacts, 'contacts').map(writeCard) };
    case 'INTERACTIVE':
      return {
        contentType,
        content: expectPart(message.content, 'content'),
        interactive: writeOffer(expectPart(message.interactive, 'interactive')),
      };
  }
}

/** Writes a card in the form in which networks deliver them. */
const writeCard = ({ name, phone, organization, email, url }: ContactCard): Record<string, unknown> => ({
  name: { formatted_name: name, first_name: name },
  phones: [{ phone, wa_id: phone.replaceAll(/\D/g, ''), type: 'CELL' }],
  ...(organization !== undefined && { org: { company: organization } }),
  ...(email !== undefined && { emails: [{ email, type: 'WORK' }] }),
  ...(url !== undefined && { urls: [{ url, type: 'WORK' }] }),
});

function writeOffer({ header, footer, buttons, link, list }: Offer): ContentOf<'INTERACTIVE'>['interactive'] {
  const path = 'message.interactive';
  if ([buttons, link, list].filter(Boolean).length !== 1) throw invalid(path, 'must have either buttons, link or list');
  const around = {
    ...(header !== undefined && { header: { type: 'text', text: header } }),
    ...(footer !== undefined && { footer: { text: footer } }),
  };
  if (buttons) {
    const replies = buttons.map(({ id, title }) => ({ type: 'reply', reply: { id, title } }));
    return makeInteractiveOffer('button', { ...around, action: { buttons: replies } });
  }
  if (link) {
    const parameters = { display_text: link.title, url: link.url };
    return makeInteractiveOffer('cta_url', { ...around, action: { name: 'cta_url', parameters } });
  }
  return makeInteractiveOffer('list', { ...around, action: { ...list } });
}

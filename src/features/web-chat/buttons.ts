/** The buttons that the company offers under a message, and what a visitor presses. */
import { makeInteractiveReply, type MessageContent } from '../../channels/content.ts';
import { unknownReference } from '../../platform/values/errors.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { readMessages } from '../messages/messages.ts';
import type { Message } from '../messages/schemas.ts';

interface ReplyButton {
  id: string;
  title: string;
}

/** What a press is, by the place of the button in the offer. These are the words of the WhatsApp Cloud API, so that agents read one kind. */
type PressKind = 'button_reply' | 'list_reply';

/** Reads the reply buttons and the rows of lists from an offer, which has the form of the WhatsApp Cloud API. */
export function listButtons({ interactive }: Pick<Message, 'interactive'>): (ReplyButton & { kind: PressKind })[] {
  const { buttons, sections } = interactive?.offer?.action ?? {};
  const rows = asList(sections).flatMap((section) => asList((section as { rows?: unknown } | null)?.rows));
  return [
    ...asList(buttons).flatMap((button) => readButton((button as { reply?: unknown } | null)?.reply, 'button_reply')),
    ...rows.flatMap((row) => readButton(row, 'list_reply')),
  ];
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function readButton(value: unknown, kind: PressKind): (ReplyButton & { kind: PressKind })[] {
  const { id, title } = (value ?? {}) as Partial<Record<keyof ReplyButton, unknown>>;
  return typeof id === 'string' && typeof title === 'string' ? [{ id, title, kind }] : [];
}

/** Returns the press of a button as the content of a message. Throws UNKNOWN_REFERENCE when the message has no such button. */
export async function composePress(read: TenantRead, message: string, id: string): Promise<MessageContent> {
  const [offering] = await readMessages(read, [message]);
  const pressed = offering && listButtons(offering).find((button) => button.id === id);
  if (!pressed) throw unknownReference('button');
  const { kind, title } = pressed;
  return { contentType: 'INTERACTIVE', content: title, interactive: makeInteractiveReply(kind, { id, title }) };
}

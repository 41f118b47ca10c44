/**
 * Messages on their way to the platform. They are shown at once; one that the platform did not take stays with its cause, also over a reload,
 * and is sent again with the same Idempotency-Key, so that the contact gets it once.
 */
import type {
  Attachment,
  CallOptions,
  Message,
  ScheduledContent,
  ScheduledMessage,
  TemplateComponent,
} from '@parley/sdk';
import { useMemo } from 'react';
import { parley } from '../../../client.ts';
import { nameSummary } from '../../../records/contacts.ts';
import { findKnownConversation } from '../../../records/conversations.ts';
import { inOrder, type RunInTurn } from '../../../records/in-order.ts';
import { findRemaining, whenMerged } from '../../../records/merged.ts';
import { findNewestMessage, showMessage } from '../../../records/messages.ts';
import { showCreated } from '../../../records/scheduled-messages.ts';
import { readUndoSeconds } from '../../../session/undo-seconds.ts';
import { useSession } from '../../../session/session.ts';
import { createStore, keep, listKept, useStore } from '../../../store.ts';
import { getTexts } from '../../../texts/texts.ts';
import { explainError, findOpenConversation } from '../../../ui/problem.ts';
import { showErrorOf } from '../../../ui/toast.tsx';
import type { GivenMail } from './mail-head.ts';
import { THREAD } from './texts.ts';

export type OutgoingContent =
  | { kind: 'TEXT'; text: string; email?: GivenMail | undefined }
  | { kind: 'NOTE'; text: string; mentions: string[] }
  | {
      kind: 'FILE';
      text: string;
      attachment: string;
      fileType: Attachment['file_type'];
      name: string;
      email?: GivenMail | undefined;
    }
  /** `text` is what the contact will read. */
  | { kind: 'TEMPLATE'; text: string; name: string; language: string; components: TemplateComponent[] };

export interface Outgoing {
  /** The Idempotency-Key of the message. */
  key: string;
  user: string;
  conversation: string;
  content: OutgoingContent;
  replyTo: string | null;
  /** When the message is sent; absent for one that is sent immediately. */
  later?: { send_at: string } | { hold_seconds: number };
  /** The newest message of the conversation when this one was written; "" when there was none. */
  after: string;
  createdAt: string;
  /** Why it could not be sent; null while it is on its way, and "" when the page was closed before it got the answer. */
  problem: string | null;
  /** The contact's open conversation, while this one is closed. */
  openConversation?: string | null;
}

/** Each message is kept by itself, so that several tabs do not overwrite each other's. */
const KEPT_AS = 'parley.outbox.';
/** An Idempotency-Key is remembered for a day; a message that is older could be sent twice. */
const LIFE_MS = 20 * 3_600_000;

const outbox = createStore<readonly Outgoing[]>(readOutbox());

function readOutbox(): readonly Outgoing[] {
  const kept = listKept(KEPT_AS).map((text) => JSON.parse(text) as Outgoing);
  const young = kept.filter(({ createdAt }) => Date.now() - Date.parse(createdAt) < LIFE_MS);
  // What was on its way when the page was closed may have arrived. Sending it again is safe, but the person decides that.
  return young.map((each) => ({ ...each, problem: each.problem ?? '' }));
}

function put(given: Outgoing): void {
  // Its conversation may have been merged while it was on its way.
  const outgoing = { ...given, conversation: findRemaining(given.conversation) };
  keep(KEPT_AS + outgoing.key, JSON.stringify(outgoing));
  const list = outbox.get();
  const index = list.findIndex(({ key }) => key === outgoing.key);
  outbox.set(index < 0 ? [...list, outgoing] : list.with(index, outgoing));
}

export function discard({ key }: Outgoing): void {
  keep(KEPT_AS + key, null);
  outbox.set(outbox.get().filter((each) => each.key !== key));
}

/** Follows what this user has not got sent in a conversation; another person at the same browser neither sees nor sends it. */
export function useOutbox(conversation: string): readonly Outgoing[] {
  const { user } = useSession();
  const all = useStore(outbox);
  return useMemo(
    () => all.filter((each) => each.user === user._id && each.conversation === conversation),
    [all, user._id, conversation],
  );
}

// Unsent messages go with their conversation.
whenMerged((from) => {
  for (const each of outbox.get()) if (each.conversation === from) put(each);
});

/** Pages that are not served over https have no crypto.randomUUID(). */
const makeKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** What sends the content of a failed message again; null for content that is not written in the console. */
export function copyContent({
  contentType,
  content,
  attachment,
  media,
  template,
  email: sent,
}: Message): OutgoingContent | null {
  const text = content ?? '';
  const email = sent ? { subject: sent.subject, to: sent.to, cc: sent.cc, bcc: sent.bcc ?? [] } : undefined;
  if (contentType === 'TEXT') return { kind: 'TEXT', text, email };
  if (contentType === 'TEMPLATE' && template)
    return { ...template, kind: 'TEMPLATE', text, components: template.components as unknown as TemplateComponent[] };
  if (attachment === null || !(contentType in FILE_METHODS)) return null;
  return {
    kind: 'FILE',
    text,
    attachment,
    fileType: contentType as Attachment['file_type'],
    name: media?.fileName ?? '',
    email,
  };
}

/** Sends something new; `run` has kept its place in the order of the conversation. */
export const post = (
  given: Pick<Outgoing, 'user' | 'conversation' | 'content' | 'replyTo' | 'later'>,
  run?: RunInTurn,
): Promise<void> =>
  postAgain(
    {
      ...holdWhereWanted(given),
      key: makeKey(),
      after:
        findNewestMessage(given.conversation) ?? findKnownConversation(given.conversation)?.last_message?._id ?? '',
      createdAt: new Date().toISOString(),
      problem: null,
    },
    run,
  );

/** Holds what the user sends for some seconds, so that it can be taken back. A note is not held, because only the team reads it. */
function holdWhereWanted<Given extends Pick<Outgoing, 'content' | 'later'>>(given: Given): Given {
  const hold_seconds = readUndoSeconds();
  return hold_seconds === 0 || given.later || given.content.kind === 'NOTE'
    ? given
    : { ...given, later: { hold_seconds } };
}

/** Sends what could not be sent before. */
export async function postAgain(
  outgoing: Outgoing,
  run: RunInTurn = (act) => inOrder(outgoing.conversation, act),
): Promise<void> {
  put({ ...outgoing, problem: null });
  try {
    const { later } = outgoing;
    if (later) showCreated(noteTemplate(outgoing, await run((options) => schedule(outgoing, later, options))));
    else showMessage(await run((options) => call(outgoing, options)));
    discard(outgoing);
  } catch (error) {
    put({ ...outgoing, problem: explainError(error), openConversation: findOpenConversation(error) });
    sayUnsent(findRemaining(outgoing.conversation));
  }
}

/** What the contacts will read of the templates that this page has scheduled or holds: the platform stores only their names and values. */
const templateTexts = new Map<string, string>();

export const findTemplateText = ({ _id }: ScheduledMessage): string | null => templateTexts.get(_id) ?? null;

function noteTemplate({ content }: Outgoing, scheduled: ScheduledMessage): ScheduledMessage {
  if (content.kind === 'TEMPLATE') templateTexts.set(scheduled._id, content.text);
  return scheduled;
}

/** Says that something was not sent, unless its conversation is on the screen and shows it. */
export function sayUnsent(conversation: string): void {
  if (location.pathname.endsWith(`/${conversation}`)) return;
  const summary = findKnownConversation(conversation)?.contact_summary;
  showErrorOf(conversation, getTexts(THREAD).unsent((summary && nameSummary(summary)) ?? '…'));
}

/** Files by their kind: the method that sends them. A caption is left out where it is empty. */
const FILE_METHODS = {
  IMAGE: 'sendImage',
  AUDIO: 'sendAudio',
  VIDEO: 'sendVideo',
  DOCUMENT: 'sendDocument',
  STICKER: 'sendSticker',
} as const;

function schedule(
  { key, conversation, content, replyTo }: Outgoing,
  later: NonNullable<Outgoing['later']>,
  given: CallOptions,
): Promise<ScheduledMessage> {
  const body = { conversation, message: toScheduled(content), reply_to: replyTo, ...later };
  return parley.scheduledMessages.create(body, { ...given, idempotencyKey: key });
}

function toScheduled(content: OutgoingContent): ScheduledContent {
  switch (content.kind) {
    case 'FILE': {
      const { fileType: contentType, attachment, text, email } = content;
      return { contentType, attachment, email, ...(text !== '' && { content: text }) };
    }
    case 'TEMPLATE': {
      const { name, language, components } = content;
      return { contentType: 'TEMPLATE', template: { name, language, components } };
    }
    case 'TEXT':
      return { contentType: 'TEXT', content: content.text, email: content.email };
    case 'NOTE':
      throw new Error('a note is never scheduled, because the contact would get it');
  }
}

function call({ key, conversation: conversationId, content, replyTo }: Outgoing, given: CallOptions): Promise<Message> {
  const options = { ...given, idempotencyKey: key };
  const reply = replyTo === null ? {} : { replyTo };
  switch (content.kind) {
    case 'NOTE':
      return parley.messages.writeNote(
        { conversationId, message: { content: content.text }, mentions: content.mentions },
        options,
      );
    case 'TEXT':
      return parley.messages.sendText(
        { conversationId, message: { content: content.text, contentType: 'TEXT' }, email: content.email, ...reply },
        options,
      );
    case 'FILE': {
      const caption = content.text === '' ? {} : { content: content.text };
      const message = { attachment: content.attachment, ...caption };
      return parley.messages[FILE_METHODS[content.fileType]](
        { conversationId, message, email: content.email, ...reply },
        options,
      );
    }
    case 'TEMPLATE': {
      const { name, language, components } = content;
      return parley.messages.sendTemplate(
        { conversationId, message: { template: { name, language, components } }, ...reply },
        options,
      );
    }
  }
}

/**
 * True when the thread already shows this message: the live stream may bring it before the answer to its request, and a page that was closed
 * meanwhile never gets the answer.
 */
export const hasArrived = (outgoing: Outgoing, thread: readonly Message[]): boolean =>
  !outgoing.problem &&
  thread.some(
    (message) => message._id > outgoing.after && message.sender === outgoing.user && isSame(outgoing.content, message),
  );

/** Discards what was on its way when the page was closed, and has arrived. */
export function discardArrived(list: readonly Outgoing[], thread: readonly Message[]): void {
  for (const each of list) if (each.problem === '' && hasArrived(each, thread)) discard(each);
}

function isSame(content: OutgoingContent, { content: text, attachment, template, message_type }: Message): boolean {
  switch (content.kind) {
    case 'NOTE':
      return message_type === 'NOTE' && text === content.text;
    case 'TEXT':
      return message_type === 'OUTGOING' && text === content.text;
    case 'FILE':
      return attachment === content.attachment;
    case 'TEMPLATE':
      return template?.name === content.name;
  }
}

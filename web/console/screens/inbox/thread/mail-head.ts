/** The subject and recipients of the mail that the user writes. The browser keeps them like its text. */
import type { Contact, Conversation, Message, SendText } from '@parley/sdk';
import { useMemo } from 'react';
import { useInboxes } from '../../../records/company.ts';
import { useThread } from '../../../records/messages.ts';
import { createStore, keep, readKept, useStore } from '../../../store.ts';

/** As typed, with commas between addresses. */
export interface MailHead {
  subject: string;
  to: string;
  cc: string;
  bcc: string;
}

export type GivenMail = NonNullable<SendText['email']>;

const KEPT_AS = 'parley.mail.';
export const NO_HEAD: MailHead = { subject: '', to: '', cc: '', bcc: '' };
const EMAIL = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/;

/** What is typed in each place, as JSON; "" where nothing is. */
export const heads = createStore<ReadonlyMap<string, string>>(new Map());

export const readTyped = (place: string): string => heads.get().get(place) ?? readKept(KEPT_AS + place) ?? '';

const showTyped = (place: string, typed: string): void => heads.set(new Map(heads.get()).set(place, typed));

// Another tab has changed or sent the same mail.
window.addEventListener('storage', ({ key, newValue }) => {
  if (key?.startsWith(KEPT_AS)) showTyped(key.slice(KEPT_AS.length), newValue ?? '');
});

export interface MailWriting {
  head: MailHead;
  /** What the mail gets where nothing is typed. */
  usual: { subject: string; to: string };
  /** The first typed address that is not valid; null when all are. */
  wrong: string | null;
  /** What the request chooses for the mail; undefined when the platform chooses everything. */
  given: GivenMail | undefined;
  /** Replaces what is typed; null clears it after the mail was sent. */
  set(head: MailHead | null): void;
}

/** Null unless the channel is e-mail. The other recipients of the last mail are in Cc by default. */
export function useMailHead(conversation: Conversation, contact: Contact | null, place: string): MailWriting | null {
  const { items } = useThread(conversation._id);
  const inbox = useInboxes().find(({ _id }) => _id === conversation.inbox);
  const text = useStore(heads, () => readTyped(place));
  const typed = useMemo(() => (text === '' ? null : (JSON.parse(text) as MailHead)), [text]);
  if (conversation.channel !== 'EMAIL') return null;
  const last = items.find(({ email }) => email !== null)?.email ?? null;
  const received = items.find(({ message_type, email }) => message_type === 'INCOMING' && email && !email.from)?.email;
  const to = received?.reply_to.join(', ') || (contact?.email ?? '');
  const own = [inbox?.email_config?.address ?? '', contact?.email ?? '', ...(received?.reply_to ?? [])];
  const head = typed ?? { ...NO_HEAD, cc: listOthers(items, own).join(', ') };
  const usual = { to, subject: last?.subject ? `Re: ${last.subject.replace(/^re:\s*/i, '')}` : '' };
  const { given, wrong } = readHead(head);
  // A user who has cleared the fields wants no other recipients, also after the mail is taken back.
  return { head, usual, given: given ?? (typed ? {} : undefined), wrong, set: (next) => keepHead(place, next) };
}

const keepTyped = (place: string, typed: string): void => {
  showTyped(place, typed);
  keep(KEPT_AS + place, typed === '' ? null : typed);
};

const keepHead = (place: string, head: MailHead | null): void => keepTyped(place, head ? JSON.stringify(head) : '');

/** Moves the subject and recipients to another place, unless some are typed there. */
export function moveTyped(from: string, to: string): void {
  const typed = readTyped(from);
  if (typed === '') return;
  if (readTyped(to) === '') keepTyped(to, typed);
  keepTyped(from, '');
}

/** Restores the subject and recipients of a mail that was taken back. */
export const putMailBack = (place: string, { subject, to = [], cc = [], bcc = [] }: GivenMail): void =>
  keepHead(place, { subject: subject ?? '', to: to.join(', '), cc: cc.join(', '), bcc: bcc.join(', ') });

/** The other recipients of the last mail of this conversation, and its author. Nobody learns here who got a mail in Bcc. */
function listOthers(messages: readonly Message[], own: readonly string[]): string[] {
  const last = messages.find(({ message_type, email }) => message_type === 'OUTGOING' || email !== null);
  if (!last?.email) return [];
  const { message_type, email } = last;
  const author = email.from ? [email.from.address] : [];
  const all = message_type === 'INCOMING' ? [...author, ...email.to, ...email.cc] : email.cc;
  const hidden = messages.flatMap((message) => message.email?.bcc ?? []);
  const known = [...own, ...hidden].map((address) => address.toLowerCase());
  return all.filter((address) => !known.includes(address.toLowerCase())).slice(0, 10);
}

/** Splits addresses as users paste them, such as "Ana <ana@client.example>". */
const splitAddresses = (text: string): string[] =>
  text
    .split(/[,;\n]/)
    .map((part) => (/<([^<>]*)>\s*$/.exec(part)?.[1] ?? part).trim())
    .filter((part) => part !== '');

/** Returns the first typed address that is not valid; null when all are. */
export const findWrong = (typed: string): string | null =>
  splitAddresses(typed).find((address) => !EMAIL.test(address)) ?? null;

export function readHead({ subject, ...typed }: MailHead): Pick<MailWriting, 'given' | 'wrong'> {
  const [to, cc, bcc] = [typed.to, typed.cc, typed.bcc].map((text) => [...new Set(splitAddresses(text))]);
  const wrong = findWrong([typed.to, typed.cc, typed.bcc].join());
  const isEmpty = [to, cc, bcc].every((list) => list?.length === 0) && subject.trim() === '';
  return { given: isEmpty ? undefined : { subject: subject.trim() || null, to, cc, bcc }, wrong };
}

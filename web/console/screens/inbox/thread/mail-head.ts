/** The subject and the recipients of the mail that is being written, kept like its text. */
import type { Contact, Conversation, Message, SendText } from '@parley/sdk';
import { useMemo } from 'react';
import { useInboxes } from '../../../records/company.ts';
import { useThread } from '../../../records/messages.ts';
import { createStore, keep, readKept, useStore } from '../../../store.ts';

/** As typed: addresses are separated by commas. */
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

const kept = createStore<ReadonlyMap<string, string>>(new Map());

export interface MailWriting {
  head: MailHead;
  /** What the mail has without anything typed. */
  usual: { subject: string; to: string };
  /** What is typed as an address and is none; null when there is no such thing. */
  wrong: string | null;
  /** Null for what nobody has chosen. */
  given: GivenMail | null;
  /** Null after the mail was sent. */
  set(head: MailHead | null): void;
}

/** Null unless the channel is e-mail. The other recipients of the last mail are in Cc by default. */
export function useMailHead(conversation: Conversation, contact: Contact | null, place: string): MailWriting | null {
  const { items } = useThread(conversation._id);
  const inbox = useInboxes().find(({ _id }) => _id === conversation.inbox);
  const text = useStore(kept, (all) => all.get(place) ?? readKept(KEPT_AS + place) ?? '');
  const typed = useMemo(() => (text === '' ? null : (JSON.parse(text) as MailHead)), [text]);
  if (conversation.channel !== 'EMAIL') return null;
  const last = items.find(({ email }) => email !== null)?.email ?? null;
  const received = items.find(({ message_type, email }) => message_type === 'INCOMING' && email !== null)?.email;
  const to = received?.reply_to.join(', ') || (contact?.email ?? '');
  const own = [inbox?.email_config?.address ?? '', contact?.email ?? '', to];
  const head = typed ?? { ...NO_HEAD, cc: listOthers(items, own).join(', ') };
  const usual = { to, subject: last?.subject ? `Re: ${last.subject.replace(/^re:\s*/i, '')}` : '' };
  return {
    head,
    usual,
    ...readHeadOf(head),
    set: (next) => keepHead(place, next),
  };
}

const keepHead = (place: string, head: MailHead | null): void => {
  const text = head && JSON.stringify(head);
  kept.set(new Map(kept.get()).set(place, text ?? ''));
  keep(KEPT_AS + place, text);
};

/** Puts the subject and the recipients of a mail back that is not sent. */
export const putMailBack = (place: string, { subject, to = [], cc = [], bcc = [] }: GivenMail): void =>
  keepHead(place, { subject: subject ?? '', to: to.join(', '), cc: cc.join(', '), bcc: bcc.join(', ') });

/** The other recipients of the last mail of this conversation. */
function listOthers(messages: readonly Message[], own: readonly string[]): string[] {
  const last = messages.find(({ message_type, email }) => message_type === 'OUTGOING' || email !== null);
  if (!last?.email) return [];
  const { message_type, email } = last;
  const all = message_type === 'INCOMING' ? [...email.to, ...email.cc] : email.cc;
  const known = own.map((address) => address.toLowerCase());
  return all.filter((address) => !known.includes(address.toLowerCase())).slice(0, 10);
}

/** Reads addresses as people paste them: also "Ana <ana@client.example>". */
const splitAddresses = (text: string): string[] =>
  text
    .split(/[,;\n]/)
    .map((part) => (/<([^<>]*)>\s*$/.exec(part)?.[1] ?? part).trim())
    .filter((part) => part !== '');

export function readHeadOf({ subject, ...typed }: MailHead): Pick<MailWriting, 'given' | 'wrong'> {
  const [to, cc, bcc] = [typed.to, typed.cc, typed.bcc].map((text) => [...new Set(splitAddresses(text))]);
  const all = [...(to ?? []), ...(cc ?? []), ...(bcc ?? [])];
  const wrong = all.find((address) => !EMAIL.test(address)) ?? null;
  if (all.length === 0 && subject.trim() === '') return { given: null, wrong };
  return { given: { subject: subject.trim() || null, to, cc, bcc }, wrong };
}

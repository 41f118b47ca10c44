import type { Fault } from '../settings.ts';
import type { ImapMailbox } from './imap.ts';

/** A mail as the phone page shows it. */
export type Mail = {
  /** The Message-ID without its angle brackets. */
  id: string;
  /** The address of the company's mailbox. */
  mailbox: string;
  /** The address of the person, in small letters. */
  contact: string;
  /** As the person sees it: `out` was written by the person. */
  direction: 'in' | 'out';
  subject: string;
  text: string;
  is_html: boolean;
  /** Each with the id under which the page loads it. */
  files: { mimetype: string; file_name: string; media_id: string }[];
  in_reply_to: string | null;
  /** The number in the mailbox of the company; null for a mail that went to the person. */
  uid: number | null;
  /** Of a person's mail: whether the platform has fetched it; null while it waits in the mailbox. */
  delivered: true | null;
  /** Why the mail was returned to its sender; null when it was not. */
  returned: { code: number; message: string } | null;
  created_at: string;
};

export type MailSettings = {
  /**
   * Faults of what the platform does next, by their place: connect, log_in, recipient and data (SMTP); imap_connect, imap_log_in and fetch
   * (IMAP).
   */
  faults: Record<string, Fault[]>;
};

export type MailState = {
  /** By their address in small letters. A mailbox is there from the first log-in or mail on. */
  mailboxes: Map<string, ImapMailbox>;
  /** By their ids, the oldest first. */
  mails: Map<string, Mail>;
  settings: MailSettings;
  /** The number of the mailboxes' numbering (UIDVALIDITY): another one for each state, because the mails before are forgotten. */
  numbering: number;
  counter: number;
};

/** How the platform reaches the servers. */
export type MailServers = {
  smtp_url: string;
  imap_url: string;
  /** The certificate of both, which the platform has to trust. */
  certificate: string;
};

/** The password of every mailbox. */
export const MAILBOX_PASSWORD = 'sandbox-password';

/** The newest mails that are kept. */
const MOST_KEPT = 1_000;

/** The mailbox of the demo company, which every new sandbox has. */
const DEMO = 'hello@sandbox.example';

export function createMail(before?: MailState): MailState {
  const state: MailState = {
    mailboxes: new Map(),
    mails: new Map(),
    settings: { faults: {} },
    numbering: Math.max(Math.floor(Date.now() / 1_000), (before?.numbering ?? 0) + 1),
    counter: 0,
  };
  openMailbox(state, DEMO);
  return state;
}

/** Ends the connections that wait for mails, so that their clients find the mailboxes of the next state. */
export function closeMailboxes({ mailboxes }: MailState): void {
  for (const { idlers } of mailboxes.values()) for (const socket of idlers.keys()) socket.destroy();
}

export function openMailbox(state: MailState, address: string): ImapMailbox {
  const name = address.toLowerCase();
  const mailbox = state.mailboxes.get(name) ?? {
    address: name,
    uidValidity: state.numbering,
    uidNext: 1,
    mails: [],
    idlers: new Map(),
  };
  state.mailboxes.set(name, mailbox);
  return mailbox;
}

export function keepMail({ mails }: MailState, mail: Mail): void {
  mails.set(mail.id, mail);
  const [oldest] = mails.keys();
  if (mails.size > MOST_KEPT && oldest !== undefined) mails.delete(oldest);
}

export function makeMailId(state: MailState): string {
  state.counter += 1;
  return `${Date.now().toString(36)}${state.counter.toString(36).padStart(4, '0')}@sandbox.example`;
}

/** Decides who wrote a mail, and where replies to it go. */
import type { Mail, MailAddress } from './parse.ts';

type Sent = Pick<Mail, 'from' | 'replyTo' | 'listAddress'>;

/** The names before the `@` from which programs send the words of people: no-reply, forms of websites and notifications. */
const FORWARDERS =
  /(?:^|[._+-])(?:no[._-]?reply|do[._-]?not[._-]?reply|n[aã]o[._-]?respond[ae]r?|no[._-]?respond[ae]r?|notif(?:y|ications?|ica[cç][oõ]es|icaciones)|mailer(?!-daemon)|wordpress|web-?forms?|forms?|form-?(?:submissions?|responses?)|submissions?|formul[aá]rios?)(?:[._+-][^@]*)?@/;

/** The addresses that Reply-To names. Those of the inbox and of a mailing list are left out: the inbox would write to itself, or to all members. */
export const listReplyTo = ({ replyTo, listAddress }: Sent, inbox: string): MailAddress[] =>
  replyTo.filter(({ address }) => address !== inbox && address !== listAddress);

/**
 * Returns the person who wrote the mail: its sender, or the first one in Reply-To behind a program, the inbox's own address or the address of a
 * list. Null for a mail that the inbox sent itself. A person who names somebody else in Reply-To stays its author, so that nobody writes into
 * the conversation of another one.
 */
export function findAuthor(mail: Sent, inbox: string): MailAddress | null {
  const { from, listAddress } = mail;
  const [named] = listReplyTo(mail, inbox);
  if (from === null || from.address === inbox) return named ?? null;
  const isForwarded = from.address === listAddress || FORWARDERS.test(from.address);
  return isForwarded ? (named ?? from) : from;
}

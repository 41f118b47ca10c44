/** How recipients unsubscribe: the headers that a mail to many has (RFC 2369, 2919 and 8058), and the mails that programs write in answer to them. */
import { findOwnMessage } from './message-id.ts';
import type { Mail } from './parse.ts';

/** Programs that know no other way write this mail to the inbox. It names the mail that its reader got. */
const SUBJECT = 'unsubscribe ';

interface ListedMail {
  /** The page at which the recipient unsubscribes, which also takes the POST of a mail program. */
  link: string;
  address: string;
  messageId: string;
}

/** Returns the headers of a mail that many get. Only a page behind https may be called without asking the reader. */
export function makeListHeaders({ link, address, messageId }: ListedMail): Record<string, string> {
  const [local = '', domain = ''] = address.split('@');
  const mailto = `mailto:${encodeURIComponent(local)}@${domain}?subject=${encodeURIComponent(SUBJECT + messageId)}`;
  return {
    Precedence: 'bulk',
    'List-Id': `<${local.replaceAll(/[^\w-]+/g, '-')}.${domain}>`,
    'List-Unsubscribe': `<${link}>, <${mailto}>`,
    ...(link.startsWith('https://') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
  };
}

/** Returns the id of our mail whose reader unsubscribes by this mail; null for any other mail. */
export function readUnsubscribe({ from, subject }: Mail, recipient: string): string | null {
  if (!from || subject?.toLowerCase().startsWith(SUBJECT) !== true) return null;
  const id = subject.slice(SUBJECT.length).trim();
  return findOwnMessage(id, recipient) === null ? null : id;
}

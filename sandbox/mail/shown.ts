/** Shows mails on the phone page. */
import type { Json } from '../exchange.ts';
import { sortFile } from '../phone/file.ts';
import { publishItem, type PhoneItem } from '../phone/phone.ts';
import type { Sandbox } from '../state.ts';
import type { ImapMailbox } from './imap.ts';
import type { Mail } from './state.ts';

/** A mail in the form of a message that the page knows, with its subject and its files. */
export function toItem(mail: Mail): PhoneItem {
  const { id, direction, subject, text, is_html, files, in_reply_to, delivered, returned, created_at } = mail;
  const shown = files.map(({ mimetype, file_name, media_id }) => {
    const type = sortFile(mimetype);
    return { type, [type]: { id: media_id, mime_type: mimetype, filename: file_name } };
  });
  const context = in_reply_to === null ? {} : { context: { id: in_reply_to } };
  const message = { type: 'mail', mail: { subject, text, is_html, files: shown }, ...context };
  if (direction === 'out') return { id, direction, message, delivered, created_at };
  const errors: Json[] = returned === null ? [] : [{ code: returned.code, title: returned.message }];
  return { id, direction, message, status: returned === null ? 'delivered' : 'failed', errors, created_at };
}

export function showMail(sandbox: Sandbox, mail: Mail): void {
  const { mailbox: account, contact } = mail;
  publishItem(sandbox, { network: 'mail', account, contact }, () => toItem(mail));
}

/** The platform has read a mail from the mailbox of the company. */
export function noteFetched(sandbox: Sandbox, { address }: ImapMailbox, uid: number): void {
  const mail = [...sandbox.mail.mails.values()].find((each) => each.mailbox === address && each.uid === uid);
  if (!mail || mail.delivered) return;
  mail.delivered = true;
  showMail(sandbox, mail);
}

import type { ParsedMail } from 'mailparser';
import { storeForPage } from '../phone/file.ts';
import type { Sandbox } from '../state.ts';
import { showMail } from './shown.ts';
import { keepMail, makeMailId } from './state.ts';

type Envelope = { mailbox: string; recipients: string[] };

/** Puts a mail of the platform into the mailboxes of the people to whom it goes. */
export async function takeMail(sandbox: Sandbox, raw: Buffer, { mailbox, recipients }: Envelope): Promise<void> {
  const parsed = await readMail(raw);
  const id = readId(parsed.messageId) ?? makeMailId(sandbox.mail);
  for (const [place, recipient] of recipients.entries()) {
    const mail = {
      id: place === 0 ? id : `${id}#${place}`,
      mailbox: mailbox.toLowerCase(),
      contact: recipient.toLowerCase(),
      direction: 'in' as const,
      subject: parsed.subject ?? '',
      text: (parsed.text ?? '').trim(),
      is_html: parsed.html !== false,
      files: parsed.attachments.map(({ contentType: mimetype, filename: file_name = 'file', content: bytes }) => ({
        mimetype,
        file_name,
        media_id: storeForPage(sandbox, { bytes, mimetype, file_name }),
      })),
      in_reply_to: readId(parsed.inReplyTo) ?? null,
      uid: null,
      delivered: null,
      returned: null,
      created_at: new Date().toISOString(),
    };
    keepMail(sandbox.mail, mail);
    showMail(sandbox, mail);
  }
}

/** The library is loaded with the first mail. */
async function readMail(raw: Buffer): Promise<ParsedMail> {
  const { simpleParser } = await import('mailparser');
  return simpleParser(raw, { skipImageLinks: true, skipTextToHtml: true });
}

const readId = (text: string | undefined): string | undefined => /<([^<>]+)>/.exec(text ?? '')?.[1];

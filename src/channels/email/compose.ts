/** Composes the mail that carries a message. */
import type { Readable } from 'node:stream';
import type { SendMailOptions } from 'nodemailer';
import type { OutboundMessage } from '../channel.ts';
import { listParts } from '../content.ts';
import { EMAIL_ADDRESS } from '../identity.ts';
import { makeMessageId, stripMarks } from './message-id.ts';
import type { EmailConfig } from './settings.ts';
import { makeListHeaders } from './unsubscribe.ts';
import { toLabel } from './words.ts';
import { declareLimit } from '../../platform/values/limits.ts';

/** The longest subject: it fits into a line with its name (RFC 5322, 2.1.1). */
const MAX_SUBJECT = declareLimit(70, {
  topic: 'E-mail',
  what: 'Sent e-mail: subject',
  unit: 'characters',
  beyond: 'cut',
});
/** Servers shorten longer lists of references; the first one and the last ones are kept. */
const MAX_REFERENCES = 20;
/** What mail programs put before the subject of an answer. */
const ANSWERS = /^\s*((re|res|r|aw|sv|antw|enc|fw|fwd)(\[\d+\])?\s*:\s*)+/i;

/** The name of the user in a signature. */
const SIGNED_BY = '{{user.name}}';

/** These keep the programs of recipients from answering a program (RFC 3834, and what Exchange reads). */
const SUPPRESSES = { 'X-Auto-Response-Suppress': 'All' };

function makeHeaders({ isAutomatic, unsubscribe }: OutboundMessage, messageId: string, address: string) {
  // What many get answers nobody.
  if (unsubscribe !== undefined)
    return {
      'Auto-Submitted': 'auto-generated',
      ...SUPPRESSES,
      ...makeListHeaders({ link: unsubscribe, address, messageId }),
    };
  return isAutomatic ? { 'Auto-Submitted': 'auto-replied', ...SUPPRESSES } : {};
}

/**
 * Returns the addresses to which a message goes; none when the recipient has no address. Only what a person wrote goes where Reply-To wants it:
 * a mail with a forged sender would otherwise have a program tell a stranger what is meant for the contact.
 */
export function findRecipients({ to, content, thread, isAutomatic, unsubscribe }: OutboundMessage): string[] {
  const chosen = listParts(content).email?.to ?? [];
  if (chosen.length > 0) return chosen;
  const own = to.names.find(({ kind }) => kind === EMAIL_ADDRESS.kind)?.address;
  const wanted = isAutomatic || unsubscribe !== undefined ? [] : (thread?.replyTo ?? []);
  return wanted.length > 0 ? wanted : own === undefined ? [] : [own];
}

interface Composition {
  recipients: string[];
  /** The content of the message's file; null without a file. */
  stream: Readable | null;
  config: EmailConfig;
}

/** Composes the mail. Its id is made from the message's, so that each attempt to send it has the same one. */
export function composeMail(message: OutboundMessage, { recipients, stream, config }: Composition): SendMailOptions {
  const { file, nameLine, replyTo, thread } = message;
  const { content: text, email } = listParts(message.content);
  const { subject = null, cc = [], bcc = [] } = email ?? {};
  const earlier = [...new Set([...(thread?.ids ?? []), ...(replyTo === null ? [] : [replyTo])])].map(stripMarks);
  const messageId = makeMessageId(message.messageId, config.address);
  const answered = replyTo ?? earlier.at(-1) ?? null;
  return {
    // Names and addresses are objects, so that the library parses none of them.
    from: { name: toLabel(config.from_name ?? undefined) ?? '', address: config.address },
    to: recipients.map(toAddress),
    ...(cc.length > 0 && { cc: cc.map(toAddress) }),
    // Who is in Bcc is in no header.
    envelope: { from: config.address, to: [...new Set([...recipients, ...cc, ...bcc])] },
    // The name of the operator is no subject.
    subject: subject ?? makeSubject(thread?.subject ?? null, text?.slice(nameLine ? nameLine.length + 1 : 0) ?? null),
    text: `${text ?? ''}${makeSignature(config, message)}`,
    date: new Date(),
    headers: makeHeaders(message, messageId, config.address),
    messageId: `<${messageId}>`,
    ...(answered !== null && { inReplyTo: `<${stripMarks(answered)}>`, references: listReferences(earlier) }),
    ...(file && stream && { attachments: [{ filename: file.fileName, contentType: file.mimeType, content: stream }] }),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

const toAddress = (address: string) => ({ name: '', address });

/** What stands below a mail that a user wrote: the mark of a signature (RFC 3676, 4.3), and the signature. */
function makeSignature(config: EmailConfig, { author, signature: own }: OutboundMessage): string {
  const signature = own ?? config.signature;
  return signature && author !== undefined ? `\n\n-- \n${signature.replaceAll(SIGNED_BY, () => author)}` : '';
}

const listReferences = (ids: string[]): string[] =>
  [...new Set(ids.length > MAX_REFERENCES ? [...ids.slice(0, 1), ...ids.slice(1 - MAX_REFERENCES)] : ids)].map(
    (id) => `<${id}>`,
  );

/** An answer has the subject of its thread. The first mail to a person is called after its first line. */
function makeSubject(threadSubject: string | null, text: string | null): string {
  const subject = toLabel(threadSubject?.replace(ANSWERS, ''));
  if (subject !== null) return `Re: ${subject}`;
  const [line = ''] = (text ?? '').trim().split('\n', 1);
  const label = toLabel(line) ?? '';
  return label.length > MAX_SUBJECT ? `${label.slice(0, MAX_SUBJECT - 1).toWellFormed()}…` : label;
}

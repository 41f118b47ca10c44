/** Writes mails for tests as mail programs send them. */
import assert from 'node:assert/strict';
import { MAIL_LOG_IN, startSmtpServer, trustCertificate } from './mail-servers.ts';
import type { Platform } from './platform.ts';
import { fetchUntilAccepted } from './until-accepted.ts';

/** Returns a mail with these headers and body. */
export const writeMail = (headers: Record<string, string>, body: string): string =>
  [...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', body]
    .join('\n')
    .replaceAll(/\r?\n/g, '\r\n');

/** Pushes a mail to the hook of an inbox, as a mail server does. An inbox takes mails once it is connected. */
export async function pushMail(hook: string, secret: string, mail: string): Promise<void> {
  const headers = { 'content-type': 'message/rfc822', 'x-hook-secret': secret };
  const { status } = await fetchUntilAccepted(hook, () => ({ method: 'POST', headers, body: mail }));
  assert.equal(status, 200);
}

export interface SamplePart {
  headers: Record<string, string>;
  body: string;
}

/** Returns a mail of several parts; `type` is what stands behind `multipart/`. */
export function writeMultipart(headers: Record<string, string>, type: string, parts: SamplePart[]): string {
  const boundary = 'a-boundary-of-the-sample';
  const written = parts.map((part) => `--${boundary}\r\n${writeMail(part.headers, part.body)}\r\n`);
  return writeMail(
    { ...headers, 'MIME-Version': '1.0', 'Content-Type': `multipart/${type}; boundary="${boundary}"` },
    `${written.join('')}--${boundary}--\n`,
  );
}

/** The headers of a mail of a person to a shop. */
export const SAMPLE_HEADERS: Record<string, string> = {
  From: 'Ana Sá <Ana@Client.example>',
  To: 'support@shop.example',
  Subject: 'Where is my order?',
  Date: 'Mon, 02 Nov 2026 10:00:00 -0300',
  'Message-ID': '<first@client.example>',
};

/** Assigns the conversation of Yara's mail to a user, and delivers the answer of Max, who was in Cc. Returns the conversation. */
export async function receiveFromOtherRecipient(
  scope: Parameters<typeof trustCertificate>[0],
  { url, call }: Pick<Platform, 'url' | 'call'>,
  owner: string,
): Promise<string> {
  const smtp = await startSmtpServer(scope, trustCertificate(scope));
  const hook_secret = 'a-secret-of-the-mail-server-5151';
  const email_config = {
    ...MAIL_LOG_IN,
    address: 'support@shop.example',
    smtp_url: `smtps://127.0.0.1:${smtp.port}`,
    hook_secret,
  };
  const { body: inbox } = await call(201, 'POST', '/v1/inboxes', {
    body: { channel: 'EMAIL', name: 'Support', email_config },
  });
  const hook = `${url}/hooks/email/${inbox._id}`;
  const first = { ...SAMPLE_HEADERS, From: 'Yara <yara@client.example>', Cc: 'Max <max@client.example>' };
  await pushMail(hook, hook_secret, writeMail(first, 'Where is it?'));
  const [{ conversation }] = (await call(200, 'GET', `/v1/messages?inbox=${inbox._id}`)).body.result;
  await call(200, 'PATCH', `/v1/conversations/${conversation}`, { body: { owner } });
  const answer = {
    ...SAMPLE_HEADERS,
    From: 'Max <max@client.example>',
    'Message-ID': '<max@client.example>',
    'In-Reply-To': SAMPLE_HEADERS['Message-ID'] ?? '',
  };
  await pushMail(hook, hook_secret, writeMail(answer, 'I need it, too.'));
  return conversation;
}

/** Packs files as Outlook does in winmail.dat. The name in the title is the old one of eight letters; programs show the one in the properties. */
export function writeTnef(files: { name: string; content: Buffer }[]): Buffer {
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const attribute = (id: number, data: Buffer): Buffer =>
    Buffer.concat([Buffer.from([2]), number(id), number(data.length), data, Buffer.alloc(2)]);
  const nameProperty = (name: string): Buffer => {
    const text = Buffer.from(`${name}\0`, 'utf16le');
    const filling = Buffer.alloc((4 - (text.length % 4)) % 4);
    return Buffer.concat([number(1), number(0x37_07_00_1f), number(1), number(text.length), text, filling]);
  };
  const packed = files.flatMap(({ name, content }) => [
    attribute(0x0006_9002, Buffer.alloc(14)),
    attribute(0x0001_8010, Buffer.from('ORCAME~1.PDF\0')),
    attribute(0x0006_800f, content),
    attribute(0x0006_9005, nameProperty(name)),
  ]);
  return Buffer.concat([number(0x22_3e_9f_78), Buffer.alloc(2), ...packed]);
}

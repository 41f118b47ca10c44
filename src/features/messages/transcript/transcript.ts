/** Writes a conversation as a text or a page that people can keep, print or send on. */
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Kit } from '../../../kit.ts';
import { sendFile } from '../../../platform/http/download.ts';
import { escapeHtml } from '../../../platform/outside/mail-layout.ts';
import { findNames, groupIds } from '../../../platform/store/names.ts';
import { pageWindow, walkPages } from '../../../platform/store/paging.ts';
import type { Tenant } from '../../../platform/store/tenant.ts';
import { invalid } from '../../../platform/values/errors.ts';
import { isTimeZone } from '../../../platform/values/time-zone.ts';
import { readOwningCompany } from '../../companies/owning-company.ts';
import { expectConversation } from '../../conversations/conversations.ts';
import { NAMES } from '../../conversations/names-sql.ts';
import type { Conversation } from '../../conversations/schemas.ts';
import { listMessages } from '../queries.ts';
import type { Message } from '../schemas.ts';
import type { TranscriptQuery } from './schemas.ts';
import { TRANSCRIPT_WORDS, type TranscriptWords } from './words.ts';

// A message has at most some 100 kB of text, so that a portion fits into memory in any case.
const PORTION = 100;

/** How a transcript is written. */
export interface TranscriptForm {
  words: TranscriptWords;
  isHtml: boolean;
  withNotes: boolean;
  zone: string;
  time: Intl.DateTimeFormat;
}

interface Written extends TranscriptForm {
  conversation: Conversation;
}

export async function sendTranscript(
  kit: Kit,
  tenant: Tenant,
  id: string,
  { query, reply }: { query: TranscriptQuery; reply: FastifyReply },
): Promise<Readable> {
  const conversation = await expectConversation(tenant.read, id);
  const form = await readForm(tenant, query);
  await kit.admitExport(tenant.companyId, reply);
  const file = form.isHtml
    ? { name: `transcript-${id}.html`, type: 'text/html; charset=utf-8' }
    : { name: `transcript-${id}.txt`, type: 'text/plain; charset=utf-8' };
  return sendFile(reply, file, writeTranscript(tenant, conversation, form));
}

/** Reads how a transcript is written. Throws for an unknown time zone. */
export async function readForm(tenant: Tenant, query: TranscriptQuery): Promise<TranscriptForm> {
  const { general_config: usual } = await readOwningCompany(tenant.read);
  const { format = 'TEXT', notes = false, language = usual.language, time_zone: zone = usual.time_zone } = query;
  if (!/^[A-Za-z]/.test(zone) || !isTimeZone(zone)) throw invalid('time_zone', 'is not a time zone');
  return {
    words: TRANSCRIPT_WORDS[language],
    isHtml: format === 'HTML',
    withNotes: notes,
    zone,
    time: new Intl.DateTimeFormat(language, { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }),
  };
}

/** Writes the transcript of a conversation in portions, each read when it is asked for. */
export async function* writeTranscript(
  tenant: Tenant,
  conversation: Conversation,
  form: TranscriptForm,
): AsyncGenerator<string> {
  const { isHtml, withNotes } = form;
  const written = { ...form, conversation };
  yield writeHead(written);
  const pages = walkPages(PORTION, (window) => {
    const place = pageWindow(`transcript:${conversation._id}`, { ...window, sort: 'createdAt' });
    return listMessages(tenant.walk, conversation._id, place);
  });
  for await (const page of pages) {
    const shown = page.filter(({ message_type: type }) => type !== 'SYSTEM' && (withNotes || type !== 'NOTE'));
    const names = await findNames(tenant.walk, NAMES, groupIds(shown.flatMap(listNamed)));
    if (shown.length > 0) yield shown.map((message) => writeMessage(written, message, names)).join('');
  }
  if (isHtml) yield '</body>\n</html>\n';
}

/** Names the contact, the conversation and the time zone. */
function writeHead({ conversation, words, isHtml, zone, time }: Written): string {
  const { name, phone_number, email } = conversation.contact_summary;
  const title = words.title(name ?? phone_number ?? email ?? words.contact);
  const reach = [phone_number, email].filter((each) => each !== null).join(' · ');
  const begun = words.begun(time.format(Date.parse(conversation.createdAt)), zone);
  const lines = [reach, begun].filter((line) => line !== '');
  if (!isHtml) return `${[title, ...lines].map(toLine).join('\n')}\n`;
  const rest = lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n');
  return `<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; }
article { margin: 1rem 0; }
header { color: #555; font-size: 14px; }
article p { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.note { padding: 0 .75rem; border-left: 3px solid #c90; }
</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${rest}
`;
}

function writeMessage(
  { conversation, words, isHtml, time }: Written,
  message: Message,
  names: Map<string, string>,
): string {
  const isNote = message.message_type === 'NOTE';
  const name = nameSender(words, conversation, message, names);
  const author = isNote ? words.note(name) : name;
  const at = time.format(Date.parse(message.createdAt));
  const body = describe(words, message);
  // The words of a message are indented, so that none of their lines looks like the beginning of another message.
  if (!isHtml) return `\n[${at}] ${toLine(author)}\n${body.replaceAll(/^/gm, '  ')}\n`;
  return `<article${isNote ? ' class="note"' : ''}>
<header><strong dir="auto">${escapeHtml(author)}</strong> <time datetime="${message.createdAt}">${escapeHtml(at)}</time></header>
<p dir="auto">${escapeHtml(body)}</p>
</article>
`;
}

/** A name with a line break could look like another message. */
const toLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** Returns the sender whose name is asked for, a user or an API key. */
const listNamed = ({ sender, sender_type: type }: Message): (readonly ['users' | 'api-keys', string | null])[] =>
  type === 'USER' ? [['users', sender]] : type === 'AGENT' ? [['api-keys', sender]] : [];

function nameSender(
  words: TranscriptWords,
  { contact_summary: { name, phone_number, email } }: Conversation,
  { sender, sender_type, email: mail }: Message,
  names: Map<string, string>,
): string {
  if (mail?.from) return mail.from.name ?? mail.from.address;
  if (sender_type === 'CONTACT') return name ?? phone_number ?? email ?? words.contact;
  return names.get(sender ?? '') ?? (sender_type === 'USER' ? words.team : words.assistant);
}

/** Returns what was written, and the name of a file in place of the file. */
function describe(words: TranscriptWords, message: Message): string {
  if (message.revoked_at !== null) return `[${words.revoked}]`;
  const { contentType, content, media, location, reaction, interactive, status } = message;
  const place = location && [location.name, location.address, `${location.latitude}, ${location.longitude}`];
  const parts = [
    contentType === 'TEXT' || contentType === 'TEMPLATE' ? null : `[${words.kinds[contentType]}]`,
    media?.fileName ?? null,
    place?.filter((each) => each !== null).join(', ') ?? null,
    reaction?.emoji ?? null,
    content ?? interactive?.title ?? null,
    status === 'FAILED' ? `[${words.failed}]` : null,
  ];
  return parts.filter((part) => part !== null && part !== '').join(' ');
}

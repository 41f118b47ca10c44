/** Reads what mail servers report about mails that we sent: failures (RFC 3464, and the usual forms besides it) and complaints (RFC 5965). */
import { readMessageIds } from './message-id.ts';
import type { Mail } from './parse.ts';
import type { MailReport } from './part.ts';

/** The longest words of a server that are stored with a failure. */
const MAX_WORDS = 1_000;
/** The most recipients that are read of a field. */
const MAX_RECIPIENTS = 10;

export interface Bounce {
  /** The ids of mails that the report names; the failed one is among them. */
  ids: string[];
  /** The recipients that the report names. */
  recipients: string[];
  /** The status code of the server (RFC 3463), such as 5.1.1. */
  status: string;
  /** The words of the server. */
  words: string;
}

/** The fields of a group of a report, by name in lower case. */
type Fields = ReadonlyMap<string, string>;

/** Returns the final failure that the mail reports; null for a mail that reports none, or only that a delivery takes longer. */
export function readBounce(mail: Mail): Bounce | null {
  const groups = listOutcomes(mail);
  const failed = groups.find((fields) => isFailed(fields));
  if (failed) {
    return {
      ids: listIds(mail),
      recipients: readRecipients(failed.get('final-recipient'), failed.get('original-recipient')),
      status: readStatus(failed.get('status') ?? '') ?? '5.0.0',
      words: cutWords(failed.get('diagnostic-code') ?? ''),
    };
  }
  return groups.length > 0 ? null : readOtherBounce(mail);
}

/** Whether a server reports about deliveries none of which has failed: they take longer, or succeeded. */
export const reportsNoFailure = (mail: Mail): boolean =>
  listOutcomes(mail).length > 0 && !listOutcomes(mail).some((fields) => isFailed(fields));

/** The groups of a standard report that say what became of a recipient's copy. Some servers leave that part empty. */
const listOutcomes = (mail: Mail): Fields[] =>
  listReports(mail)
    .filter(({ mimeType }) => mimeType === 'message/delivery-status')
    .flatMap(readGroups)
    .filter((fields) => fields.has('action') || fields.has('status'));

const DAEMON = /mailer-?daemon|mail delivery (?:sub)?system/;

/** Whether a program of a mail server writes, and no person. Its address is often empty. */
const isFromDaemon = ({ from, marks }: Mail): boolean =>
  from === null ? DAEMON.test(marks.get('from') ?? '') : /^mailer-?daemon@/.test(from.address);

const isReport = ({ marks }: Mail): boolean => marks.get('content-type') === 'multipart/report';

/** Whether the mail is a standard report of a delivery, perhaps with an empty status. There are also reports that a mail was read. */
const isDeliveryReport = (mail: Mail): boolean =>
  isReport(mail) && mail.reports.some(({ mimeType }) => mimeType === 'message/delivery-status');

/** The parts that report on another mail. A person also attaches mails, so attachments count in the mail of a server alone. */
const listReports = (mail: Mail): MailReport[] =>
  mail.reports.filter(({ isAttached }) => !isAttached || isReport(mail) || isFromDaemon(mail));

/**
 * Reads the reports of servers that do not use the standard: their sender, and what they say in their text. People also answer from such
 * addresses and write numbers, so only the ids of a mail that is attached or quoted count, and not those of the mails that are answered. A
 * program that returns a mail and names no code reports a failure, unless it says otherwise.
 */
function readOtherBounce(mail: Mail): Bounce | null {
  const named = mail.marks.get('x-failed-recipients') ?? '';
  const isProgram = isFromDaemon(mail) || isDeliveryReport(mail);
  if (!named && !isProgram && mail.from?.address.startsWith('postmaster@') !== true) return null;
  const status = /\b5\.\d{1,3}\.\d{1,3}\b/.exec(mail.text)?.[0] ?? (/\b55\d\b/.test(mail.text) ? '5.0.0' : null);
  if (!named && status === null && (!isProgram || saysNoFailure(mail))) return null;
  return {
    ids: isProgram && status !== null ? listIds(mail) : findOriginalIds(mail),
    recipients: readRecipients(named),
    status: status ?? '5.0.0',
    words: cutWords(mail.text),
  };
}

/** How servers say that they will try again, or that the mail has arrived, in the languages of the platform and of its neighbours. */
const NO_FAILURE =
  /\bdelayed\b|\bdelay\)|delay reason|^warning\b|will (?:be retried|keep|continue|try again|retry)|not (?:yet )?been delivered yet|(?:not|n't) (?:yet been|been yet) delivered|do not need to re|(?:has been|was) (?:successfully )?(?:delivered|relayed)|successfully delivered|atrasad|\badiad|continuar(?:á|emos|ão)|nova tentativa|tentar[áa]? (?:novamente|de novo)|ainda não foi|(?<!não )foi entregue|retrasad|seguir(?:á|emos) intentando|volver(?:á|emos) a intentar|(?<!no )ha sido entregad|verzögert|retardé/im;
/** Where the returned mail begins in the text of a report: its own words say nothing of the delivery. */
const ORIGINAL = /^[>\t ]*(?:-{3,}.*|(?:received|return-path|message-id|from|de)\s*:.*)$/im;

function saysNoFailure({ subject, text }: Mail): boolean {
  const said = text.slice(0, ORIGINAL.exec(text)?.index ?? text.length);
  return NO_FAILURE.test(`${subject ?? ''}\n${said}`);
}

const listIds = (mail: Mail): string[] => [
  ...new Set([...findOriginalIds(mail), ...mail.inReplyTo, ...mail.references]),
];

/** Returns the ids of the mails about which a recipient complains; null for a mail that is no complaint. */
export const readComplaint = (mail: Mail): string[] | null =>
  mail.reports.some(({ mimeType }) => mimeType === 'message/feedback-report') ? findAttachedIds(mail) : null;

/** The ids of the mails that are attached, or whose headers are. */
const findAttachedIds = (mail: Mail): string[] =>
  listReports(mail)
    .filter(({ mimeType }) => mimeType === 'message/rfc822' || mimeType === 'text/rfc822-headers')
    .flatMap((report) => readMessageIds(readGroups(report)[0]?.get('message-id')));

/** The ids of the mail that is reported on: it is attached, or its id stands in the text. */
export function findOriginalIds(mail: Mail): string[] {
  const quoted = /^[>\t ]*message-id:\s*(<[^<>\s]{1,500}>)/im.exec(mail.text)?.[1];
  return [...findAttachedIds(mail), ...readMessageIds(quoted)];
}

function isFailed(fields: Fields): boolean {
  const action = fields.get('action')?.toLowerCase();
  const status = readStatus(fields.get('status') ?? '');
  return action === undefined ? status?.startsWith('5') === true : action === 'failed';
}

const readStatus = (text: string): string | null => /\b([245]\.\d{1,3}\.\d{1,3})\b/.exec(text)?.[1] ?? null;

/** Reads the groups of fields, which empty lines separate. A line that begins with a space continues the one before it. */
function readGroups({ text }: MailReport): Fields[] {
  return text
    .replaceAll('\r', '')
    .split(/\n[ \t]*\n/)
    .map((group) => {
      const fields = new Map<string, string>();
      for (const line of group.replaceAll(/\n[ \t]+/g, ' ').split('\n')) {
        const at = line.indexOf(':');
        const name = line.slice(0, Math.max(at, 0)).trim().toLowerCase();
        if (name !== '' && !fields.has(name)) fields.set(name, line.slice(at + 1).trim());
      }
      return fields;
    });
}

/** Reads the addresses of a report: `rfc822; Ana@shop.example`, in angle brackets or without them. */
const readRecipients = (...values: (string | undefined)[]): string[] =>
  values.flatMap((value) => {
    const addresses = (value ?? '').replace(/^[\w-]+\s*;/, '').matchAll(/[^\s<>;,"]{1,64}@[^\s<>;,"]{1,255}/g);
    return [...addresses].slice(0, MAX_RECIPIENTS).map(([address]) => address.toLowerCase());
  });

const cutWords = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_WORDS).toWellFormed();

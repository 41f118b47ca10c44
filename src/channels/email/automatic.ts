/** Recognises mails that a program wrote, so that no automatic answer follows them (RFC 3834): two programs would answer each other for ever. */
import type { Mail } from './parse.ts';

const PROGRAM_SENDERS = /^(mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?|notifications?)([+.-].*)?@/;
const BULK = /^(bulk|list|junk|auto_reply)$/;
const SUPPRESSES = /\b(all|oof|autoreply)\b/;
/** A header of these marks a mail of a program, whatever its value. */
const ALWAYS = ['x-autoreply', 'x-autorespond', 'x-loop', 'list', 'x-failed-recipients'];

export function isAutomatic({ marks, from, messageId }: Mail): boolean {
  const mark = (name: string): string => marks.get(name) ?? '';
  const submitted = mark('auto-submitted').replace(/;.*$/, '').trim();
  return (
    (submitted !== '' && submitted !== 'no') ||
    BULK.test(mark('precedence')) ||
    SUPPRESSES.test(mark('x-auto-response-suppress')) ||
    ALWAYS.some((name) => marks.has(name)) ||
    mark('content-type') === 'multipart/report' ||
    mark('return-path') === '<>' ||
    from === null ||
    PROGRAM_SENDERS.test(from.address) ||
    messageId === null
  );
}

/** Separates what a person wrote from what their mail program added: the mail that is answered, and the signature. */
import EmailReplyParser from 'email-reply-parser';

/** The longest text that is searched for quoted parts: the search takes up to a quadratic time. */
const MAX_SEARCHED = 16_384;

/** Lines after which only the quoted mail follows, in the languages and from the programs that the library does not know. */
const QUOTE_BEGINS =
  /^\s*(?:-{2,}\s*(?:Mensagem original|Mensaje original|Original Message)\s*-{2,}\s*$|_{10,}\n+(?:From|De):)/im;
/** Lines after which a mail follows that the person sends on. */
const FORWARDS =
  /^(?:-{2,}\s*(?:Forwarded message|Mensagem encaminhada|Mensaje reenviado)\s*-{2,}|Begin forwarded message:)$/im;
const SENT_FROM =
  /^\s*(?:(?:Enviado d[oae]|Enviado desde|Sent from) (?:meu |mi |my |o )?|(?:Get|Obter o|Obtener) Outlook (?:for|para) )[^\n]{1,80}$/i;

/** Returns what the person wrote; the whole text when nothing else would remain. */
export function stripQuoted(text: string): string {
  const trimmed = trimLines(text);
  const forwards = FORWARDS.exec(trimmed)?.index ?? trimmed.length;
  // What is sent on inside of a quoted mail belongs to that mail.
  const at = (QUOTE_BEGINS.exec(trimmed)?.index ?? trimmed.length) < forwards ? trimmed.length : forwards;
  return `${stripTrimmed(trimmed.slice(0, at)).trim()}\n\n${trimmed.slice(at)}`.trim();
}

/** Removes spaces at the ends of lines, and of several empty lines keeps one: long runs of them make the search slow. */
const trimLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line, index, lines) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim();

function stripTrimmed(text: string): string {
  const begins = QUOTE_BEGINS.exec(text);
  const before = begins ? text.slice(0, begins.index) : text;
  const searched = before.length > MAX_SEARCHED ? before : new EmailReplyParser().parseReply(before);
  const lines = searched.trimEnd().split('\n');
  if (SENT_FROM.test(lines.at(-1) ?? '')) lines.pop();
  return lines.join('\n').trim() || text;
}

/** Separates what a person wrote from what their mail program added: the mail that is answered, and the signature. When in doubt, text stays. */
import EmailReplyParser from 'email-reply-parser';
import { dropAttributions } from './attribution.ts';
import { countSignatures } from './signature.ts';

/** The longest text that is searched for quoted parts: the search takes up to a quadratic time. */
const MAX_SEARCHED = 16_384;

const makeHeader = (names: string, content = '.*'): string => String.raw`[ \t]*\*?(?:${names})\*?\s?:${content}\n{1,2}`;
const ADDRESS = String.raw`[^@\n]*@.*`;
const SENDER = 'From|De|Von|Da|Van|От|Od|Från|Fra';
const TIME_AND_RECIPIENTS =
  makeHeader(
    'Sent|Date|Enviad[ao](?: em| el)?|Data|Fecha|Gesendet|Datum|Envoyé|Inviato|Verzonden|Отправлено|Дата|Wysłano|Skickat|Sendt',
  ) + makeHeader('To|Para|An|À|A|Aan|Кому|Do|Till|Til');
const SUBJECT = makeHeader('Subject|Assunto|Asunto|Betreff|Objet|Oggetto|Onderwerp|Тема|Temat|Ämne|Emne');
/**
 * The headers of the answered mail, as Outlook writes them before it. A person may also write whence, when and whither, so the sender has an
 * address, or a subject follows.
 */
const HEADERS = `(?:${makeHeader(SENDER, ADDRESS)}${TIME_AND_RECIPIENTS}|${makeHeader(SENDER)}${TIME_AND_RECIPIENTS}(?:${makeHeader('Cc|Kopie|Copie|CC')})?${SUBJECT})`;

/** Lines after which only the quoted mail follows, in the languages and from the programs that the library does not know. */
const QUOTE_BEGINS = new RegExp(
  String.raw`^\s*(?:-{2,}\s*(?:Mensagem original|Mensaje original|Original Message)\s*-{2,}\s*$|_{10,}\n+(?:From|De):|${HEADERS})`,
  'im',
);
const MARKED_FORWARDS = [
  'Forwarded message',
  'Mensagem (?:re)?encaminhada',
  'Mensaje reenviado',
  'Weitergeleitete Nachricht',
  'Message (?:transféré|transmis)',
  'Messaggio inoltrato',
  'Doorgestuurd bericht',
  'Перес[а-я]+ сообщение',
  'Przekazana wiadomość',
];
/** Lines after which a mail follows that the person sends on. */
const FORWARDS = new RegExp(
  String.raw`^(?:-{2,}\s*(?:${MARKED_FORWARDS.join('|')})\s*-{2,}|Begin forwarded message:|Início da mensagem (?:re)?encaminhada:|Inicio del mensaje reenviado:|Anfang der weitergeleiteten Nachricht:|Début du message (?:transféré|réexpédié)\s?:)$`,
  'im',
);
/** How programs begin the subject of a mail that is sent on. */
const FORWARD_SUBJECT = /^\s*(?:fwd?|enc|rv|wg|tr)\s*:/i;
const SENT_FROM =
  /^\s*(?:(?:Enviado d[oae]|Enviado desde|Sent from) (?:meu |mi |my |o )?|(?:Get|Obter o|Obtener) Outlook (?:for|para) )[^\n]{1,80}$/i;

/** Returns what the person wrote; the whole text when nothing else would remain. */
export function stripQuoted(text: string, subject: string | null = null): string {
  const trimmed = trimLines(text);
  const forwards = FORWARDS.exec(trimmed)?.index ?? trimmed.length;
  // Outlook does not mark what a person sends on.
  if (forwards === trimmed.length && FORWARD_SUBJECT.test(subject ?? '')) return trimmed;
  const begins = findQuote(trimmed);
  // What is sent on inside of a quoted mail belongs to that mail.
  const at = begins < forwards ? trimmed.length : forwards;
  return `${stripTrimmed(trimmed.slice(0, at), begins).trim()}\n\n${trimmed.slice(at)}`.trim();
}

const findQuote = (text: string): number => QUOTE_BEGINS.exec(`${text}\n`)?.index ?? text.length;

/** Removes spaces at the ends of lines, and of several empty lines keeps one: long runs of them make the search slow. */
const trimLines = (text: string): string =>
  text
    .split('\n')
    // The space behind the mark of a signature tells it from a line.
    .map((line) => (line === '-- ' ? line : line.trimEnd()))
    .filter((line, index, lines) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim();

function stripTrimmed(text: string, quoteBegins: number): string {
  const before = dropAttributions(text.slice(0, quoteBegins));
  const written = before.length > MAX_SEARCHED ? before : dropQuotes(before);
  const lines = written.trimEnd().split('\n');
  if (SENT_FROM.test(lines.at(-1) ?? '')) lines.pop();
  return lines.join('\n').trim() || text;
}

function dropQuotes(text: string): string {
  const shown = new EmailReplyParser()
    .read(text)
    .getFragments()
    .filter((fragment) => fragment.isSignature() || !fragment.isHidden());
  const begins = shown.findLastIndex((fragment) => !fragment.isSignature()) + 1;
  // The library takes everything behind a line of dashes or a greeting for a signature.
  const ends = countSignatures(shown.slice(begins).map(String));
  return shown
    .slice(0, shown.length - ends)
    .map(String)
    .join('\n');
}

/** Finds the links in a text. The text itself is never read as HTML. */

export type TextPart = string | { href: string; text: string };

// An address ends at a space, a quotation mark or an angle bracket. A number is one of a telephone if it begins with a country code or has an
// area code in brackets; others may count anything.
const ADDRESS =
  /\b(?:https?:\/\/[^\s<>"'`]+|www\.[\w-]+\.[^\s<>"'`]+|mailto:[^\s<>"'`]+|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{2,63})+)|(?<![\w.+/-])(?:\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?|\(\d{2,4}\)[ .-]?)\d[\d .-]{4,14}\d(?!\w)/giu;
/** Marks at the end belong to the sentence around the address. */
const SENTENCE_END = /[.,;:!?…'*_)\]}]+$/u;

/** Splits a text into plain parts and links to pages, mail addresses and telephone numbers. Other kinds of addresses stay plain text. */
export function splitLinks(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const found = trimEnd(match[0]);
    const href = toAddress(found);
    if (href === null) continue;
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push({ href, text: found });
    end = match.index + found.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** A bracket at the end stays when the address has opened it. */
function trimEnd(address: string): string {
  const [marks = ''] = SENTENCE_END.exec(address) ?? [];
  const trimmed = address.slice(0, address.length - marks.length);
  return marks.startsWith(')') && trimmed.includes('(') ? `${trimmed})` : trimmed;
}

function toAddress(text: string): string | null {
  if (/^[+(]/.test(text) && !text.includes('@')) return toPhoneAddress(text);
  const wanted = completeAddress(text);
  if (!URL.canParse(wanted)) return null;
  const { protocol, href } = new URL(wanted);
  return ['http:', 'https:', 'mailto:'].includes(protocol) ? href : null;
}

function completeAddress(text: string): string {
  if (/^(?:https?|mailto):/i.test(text)) return text;
  return /^www\./i.test(text) && !text.includes('@') ? `https://${text}` : `mailto:${text}`;
}

function toPhoneAddress(text: string): string | null {
  const digits = text.replaceAll(/\D/g, '');
  if (digits.length < 8 || digits.length > 15) return null;
  return `tel:${text.startsWith('+') ? '+' : ''}${digits}`;
}

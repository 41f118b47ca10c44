/** Finds the links in a text. The text itself is never read as HTML. */

export type TextPart = string | { href: string; text: string };

// An address ends at a space, a quotation mark or an angle bracket.
const ADDRESS = /\b(?:https?:\/\/[^\s<>"'`]+|mailto:[^\s<>"'`]+|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{2,63})+)/giu;
/** Marks at the end belong to the sentence around the address. */
const SENTENCE_END = /[.,;:!?…'*_)\]}]+$/u;

/** Splits a text into plain parts and links to pages and mail addresses. Other kinds of addresses stay plain text. */
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
  const wanted = /^(?:https?|mailto):/i.test(text) ? text : `mailto:${text}`;
  if (!URL.canParse(wanted)) return null;
  const { protocol, href } = new URL(wanted);
  return ['http:', 'https:', 'mailto:'].includes(protocol) ? href : null;
}

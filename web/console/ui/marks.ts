/** The marks of WhatsApp, such as `*bold*`: where they are in a text, and the text without them. */
import type { Message } from '@parley/sdk';
import { splitLinks } from '../../browser/links.ts';

/** The networks of WhatsApp show marks as formats. */
const FORMATTED: ReadonlySet<string> = new Set<Message['channel']>(['WAP_AUTO_CLOSER', 'PARTNER_API']);

export const showsMarks = (channel: Message['channel']): boolean => FORMATTED.has(channel);

export interface Link {
  start: number;
  end: number;
  href: string;
}

export interface Linked {
  text: string;
  links: readonly Link[];
}

export function findLinks(text: string): Linked {
  let start = 0;
  const links = splitLinks(text).flatMap((part) => {
    const end = start + (typeof part === 'string' ? part : part.text).length;
    const link = typeof part === 'string' ? [] : [{ start, end, href: part.href }];
    start = end;
    return link;
  });
  return { text, links };
}

export const ELEMENTS = { '```': 'code', '`': 'code', '*': 'strong', _: 'em', '~': 's' } as const;
/** The longest formatted stretch; looking further for the end of each mark would take too long in a text of many marks. */
const MARKED =
  /(?<![\p{L}\p{N}])(?:(?<block>```)[^]{1,2000}?```|(?<mark>[`*_~])(?=[*_~]{0,2}[^\s`*_~])[^\n]{0,2000}?\S\k<mark>)(?![\p{L}\p{N}])/gu;

/** A part of a text with one format, from its first mark to its last. */
export interface Stretch {
  element: (typeof ELEMENTS)[keyof typeof ELEMENTS];
  start: number;
  end: number;
  inner: readonly [start: number, end: number];
}

/** Finds the formatted parts between two places. A mark within an address belongs to the address. */
export function findStretches({ text, links }: Linked, from: number, to: number): Stretch[] {
  const isInLink = (at: number): boolean => links.some(({ start, end }) => at >= start && at < end);
  return [...text.slice(from, to).matchAll(MARKED)].flatMap((match) => {
    const mark = (match.groups?.['block'] ?? match.groups?.['mark'] ?? '') as keyof typeof ELEMENTS;
    const [start, end] = [from + match.index, from + match.index + match[0].length];
    const inner = [start + mark.length, end - mark.length] as const;
    if (inner[0] >= inner[1] || isInLink(start) || isInLink(end - 1)) return [];
    return [{ element: ELEMENTS[mark], start, end, inner }];
  });
}

// A preview is one line.
const PREVIEWED = 1_000;

/** Returns the beginning of a text as one line, without the marks that its network shows as formats. */
export function toPreview(text: string, channel: Message['channel']): string {
  const beginning = text.slice(0, PREVIEWED);
  const plain = showsMarks(channel) ? stripMarks(findLinks(beginning), 0, beginning.length) : beginning;
  return plain.replaceAll(/\s+/g, ' ');
}

function stripMarks(linked: Linked, from: number, to: number): string {
  let plain = '';
  let done = from;
  for (const { element, start, end, inner } of findStretches(linked, from, to)) {
    const content = element === 'code' ? linked.text.slice(...inner) : stripMarks(linked, ...inner);
    plain += linked.text.slice(done, start) + content;
    done = end;
  }
  return plain + linked.text.slice(done, to);
}

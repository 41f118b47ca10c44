/** The text of a message: addresses and telephone numbers are links, and the marks of WhatsApp are the formats that they stand for. */
import { createElement, Fragment, type ReactElement, type ReactNode } from 'react';
import { splitLinks } from '../../browser/links.ts';

interface MessageTextProps {
  text: string;
  /** True where the network of the message shows marks as formats. */
  hasMarks: boolean;
}

export function MessageText({ text, hasMarks }: MessageTextProps): ReactElement {
  const links = findLinks(text);
  return <>{hasMarks ? formatPart({ text, links }, 0, text.length) : linkPart({ text, links }, 0, text.length)}</>;
}

interface Link {
  start: number;
  end: number;
  href: string;
}

interface Linked {
  text: string;
  links: readonly Link[];
}

function findLinks(text: string): Link[] {
  let start = 0;
  return splitLinks(text).flatMap((part) => {
    const end = start + (typeof part === 'string' ? part : part.text).length;
    const link = typeof part === 'string' ? [] : [{ start, end, href: part.href }];
    start = end;
    return link;
  });
}

const ELEMENTS = { '```': 'code', '`': 'code', '*': 'strong', _: 'em', '~': 's' } as const;
/** The longest formatted stretch; looking further for the end of each mark would take too long in a text of many marks. */
const MARKED =
  /(?<![\p{L}\p{N}])(?:(?<block>```)[^]{1,2000}?```|(?<mark>[`*_~])(?=[*_~]{0,2}[^\s`*_~])[^\n]{0,2000}?\S\k<mark>)(?![\p{L}\p{N}])/gu;

/** A mark within an address belongs to the address. */
function formatPart(linked: Linked, from: number, to: number): ReactNode[] {
  const nodes: ReactNode[] = [];
  let done = from;
  for (const match of linked.text.slice(from, to).matchAll(MARKED)) {
    const mark = (match.groups?.['block'] ?? match.groups?.['mark'] ?? '') as keyof typeof ELEMENTS;
    const [start, end] = [from + match.index, from + match.index + match[0].length];
    const inner = [start + mark.length, end - mark.length] as const;
    if (inner[0] >= inner[1] || [start, end - 1].some((at) => isInLink(linked, at))) continue;
    nodes.push(...linkPart(linked, done, start));
    const isCode = ELEMENTS[mark] === 'code';
    const content = isCode ? linked.text.slice(...inner) : formatPart(linked, ...inner);
    nodes.push(createElement(ELEMENTS[mark], { key: start }, content));
    done = end;
  }
  return [...nodes, ...linkPart(linked, done, to)];
}

const isInLink = ({ links }: Linked, at: number): boolean => links.some(({ start, end }) => at >= start && at < end);

function linkPart({ text, links }: Linked, from: number, to: number): ReactNode[] {
  const nodes: ReactNode[] = [];
  let done = from;
  for (const { start, end, href } of links) {
    if (start < done || end > to) continue;
    nodes.push(<Fragment key={`text-${done}`}>{text.slice(done, start)}</Fragment>);
    nodes.push(
      <a key={`link-${start}`} href={href} target="_blank" rel="noreferrer noopener">
        {text.slice(start, end)}
      </a>,
    );
    done = end;
  }
  return [...nodes, <Fragment key={`text-${done}`}>{text.slice(done, to)}</Fragment>];
}

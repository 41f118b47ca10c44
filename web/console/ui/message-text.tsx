/** Renders the text of a message: web addresses and telephone numbers as links, and WhatsApp's `*bold*` and its like as formats. */
import { createElement, Fragment, type ReactElement, type ReactNode } from 'react';
import { findLinks, findStretches, type Linked } from './marks.ts';

interface MessageTextProps {
  text: string;
  /** True where the network of the message shows marks as formats. */
  hasMarks: boolean;
}

export function MessageText({ text, hasMarks }: MessageTextProps): ReactElement {
  const linked = findLinks(text);
  return <>{hasMarks ? formatPart(linked, 0, text.length) : linkPart(linked, 0, text.length)}</>;
}

function formatPart(linked: Linked, from: number, to: number): ReactNode[] {
  const nodes: ReactNode[] = [];
  let done = from;
  for (const { element, start, end, inner } of findStretches(linked, from, to)) {
    nodes.push(...linkPart(linked, done, start));
    const content = element === 'code' ? linked.text.slice(...inner) : formatPart(linked, ...inner);
    nodes.push(createElement(element, { key: start }, content));
    done = end;
  }
  return [...nodes, ...linkPart(linked, done, to)];
}

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

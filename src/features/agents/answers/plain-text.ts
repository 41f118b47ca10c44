import { MAX_TEXT } from '../../messages/schemas.ts';

/** Removes what neither the database nor a network takes from a text of a model or a server. */
export const toSendableText = (text: string): string =>
  text.replaceAll('\0', '').slice(0, MAX_TEXT).toWellFormed().trim();

/** Writes Markdown as plain text: bold words between the mark of the network, no headings, links with their address. */
export const toPlainText = (markdown: string, boldMark: string): string =>
  markdown
    .split('\n')
    .map((line) => toPlainLine(line, boldMark))
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();

const RULE = /^[\s|:-]+$/;

function toPlainLine(line: string, boldMark: string): string {
  if (line.includes('|') && RULE.test(line)) return '';
  return line
    .replace(/^\s{0,3}#{1,6}\s+/, '')
    .replace(/^(\s*)[*+](\s+)/, '$1-$2')
    .replaceAll(/\*\*([^*\n]+)\*\*/g, (_bold, words: string) => `${boldMark}${words}${boldMark}`)
    .replaceAll(/!?\[([^\]\n]*)\]\((\S+?)\)/g, (_link, text: string, address: string) =>
      text === '' || text === address ? address : `${text} (${address})`,
    )
    .replace(/^\s*\|(.*)\|\s*$/, (_row, cells: string) =>
      cells
        .split('|')
        .map((cell) => cell.trim())
        .join(' – '),
    );
}

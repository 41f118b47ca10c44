import { MAX_TEXT } from '../../messages/schemas.ts';

/** Removes what neither the database nor a network takes from a text of a model or a server. */
export const toSendableText = (text: string): string =>
  text.replaceAll('\0', '').slice(0, MAX_TEXT).toWellFormed().trim();

/** Writes Markdown in the marks that messengers show: bold between single asterisks, no headings, links with their address. */
export const toPlainText = (markdown: string): string =>
  markdown
    .split('\n')
    .map(toPlainLine)
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();

const RULE = /^[\s|:-]+$/;

function toPlainLine(line: string): string {
  if (line.includes('|') && RULE.test(line)) return '';
  return line
    .replace(/^\s{0,3}#{1,6}\s+/, '')
    .replace(/^(\s*)[*+](\s+)/, '$1-$2')
    .replaceAll(/\*\*([^*\n]+)\*\*/g, '*$1*')
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

/**
 * Writes Markdown in the marks of a network. Models and knowledge items write Markdown, which networks show as it is. Only what is Markdown
 * or simple HTML changes; every other character stays, because `5 * 3`, `snake_case` and `#123` only look like it.
 */
import { Lexer, Marked, type Token, type Tokens } from 'marked';
import { NO_MARKS, type TextMarks } from '../../../channels/marks.ts';
import type { Kit } from '../../../kit.ts';
import type { Conversation } from '../../conversations/schemas.ts';
import { MAX_TEXT } from '../../messages/schemas.ts';

export interface Writing {
  marks: TextMarks;
  /** Whether the address of a link is written after its words. */
  keepsLink(address: string): boolean;
}

const parser = new Marked();

/** Returns the marks of a conversation's network. No one knows on which network the answer would be that is only tried. */
export const findMarks = (kit: Kit, conversation: Pick<Conversation, 'channel'> | null): TextMarks =>
  conversation ? kit.channels.get(conversation.channel).can.marks : NO_MARKS;

/** Removes what neither the database nor a network takes from a text of a model or a server. */
export const toSendableText = (text: string): string =>
  text.replaceAll('\0', '').slice(0, MAX_TEXT).toWellFormed().trim();

// The parser takes the square of the number of these marks: 4,096 characters of `*a_` take it 200 ms, and 500 marks at most 5 ms. An answer
// of that length with a bold word in each line has about 300.
const MOST_MARKS = 500;
const MARKS = /[*_~[]/g;

/** Reads at most MAX_TEXT characters. A text with very many marks stays as it is. */
export function toPlainText(markdown: string, writing: Writing): string {
  const text = markdown.slice(0, MAX_TEXT).toWellFormed();
  if ((text.match(MARKS)?.length ?? 0) > MOST_MARKS) return text.trim();
  try {
    return writeBlocks(parser.lexer(text), writing).trim();
  } catch {
    // Failure policy: the parser ends with an error at quotes or lists that are thousands of levels deep. Such a text stays as it is.
    return text.trim();
  }
}

function writeBlocks(tokens: Token[], writing: Writing): string {
  let written = '';
  for (const [index, token] of tokens.entries()) {
    // The parser drops the line break between two lists.
    const isGlued = written !== '' && !written.endsWith('\n') && tokens[index - 1]?.type === 'list';
    written += (isGlued && token.type !== 'space' ? '\n' : '') + writeBlock(token, writing);
  }
  return written;
}

function writeBlock(token: Token, writing: Writing): string {
  const { codeBlock } = writing.marks;
  const { raw } = token;
  switch (token.type) {
    case 'heading':
      return writeHeading(token as Tokens.Heading, writing) + findTail(raw);
    case 'paragraph':
    case 'text':
      return writeInline(token.tokens ?? [token], writing) + findTail(raw);
    case 'code':
      return writeCode(token as Tokens.Code, codeBlock) + findTail(raw);
    case 'blockquote':
      return prefixLines(writeBlocks(token.tokens ?? [], writing).trimEnd(), '> ') + findTail(raw);
    case 'list':
      return (token as Tokens.List).items.map((item) => writeItem(item, writing)).join('');
    case 'table':
      return writeTable(token as Tokens.Table, writing) + findTail(raw);
    case 'html':
      // The parser reads no Markdown in a block of HTML.
      return writeInline(Lexer.lexInline(removeTags(raw)), writing);
    default:
      return writePart(token, writing);
  }
}

const DASHES = /\n *-+$/;

/** A line of dashes below a text is meant as a line more often than as a heading, and stays. */
function writeHeading({ raw, tokens }: Tokens.Heading, writing: Writing): string {
  const words = writeInline(tokens, writing);
  if (words === '') return raw.trimEnd();
  const dashes = DASHES.exec(raw.trimEnd());
  return dashes ? words + dashes[0] : surround(words, writing.marks.bold);
}

/** Lines that begin with four blanks are code in Markdown, but hardly ever are in an answer. */
const writeCode = ({ raw, text, codeBlockStyle }: Tokens.Code, mark: string): string =>
  codeBlockStyle === 'indented' || text === ''
    ? raw.trimEnd()
    : [mark, text, mark].filter((line) => line !== '').join('\n');

const BULLET = /^(?:[*+-]|\d{1,9}[.)])[ \t]*/;
const NEXT_LINE = /\n([ \t]*)\S/;

/** An item keeps its number and the indentation of its lines. A star would begin bold words on some networks. */
function writeItem({ raw, tokens }: Tokens.ListItem, writing: Writing): string {
  if (tokens.length === 0) return raw;
  const bullet = (BULLET.exec(raw.trimStart())?.[0] ?? '').replace('*', '-');
  const indent = NEXT_LINE.exec(raw)?.[1] ?? '';
  const [first = '', ...rest] = writeBlocks(tokens, writing).trimEnd().split('\n');
  const lines = rest.map((line) => (line === '' ? '' : indent + line));
  return [bullet + first, ...lines].join('\n').trimEnd() + findTail(raw);
}

/** A row is a line, because messengers have no columns. */
const writeTable = ({ header, rows }: Tokens.Table, writing: Writing): string =>
  [header, ...rows]
    .map((row) =>
      row
        .map(({ tokens }) => writeInline(tokens, writing).replaceAll('\n', ' '))
        .filter((cell) => cell !== '')
        .join(' – '),
    )
    .join('\n');

const ENDS_IN_WORD = /[\p{L}\p{N}]$/u;
const ENDS_IN_DIGIT = /\d$/;
const BEGINS_WITH_DIGIT = /^\d/;
const BREAK = /^[ \t]*\n/;
const BEGINS_WORD = /^[\p{L}\p{N}]/u;

function writeInline(tokens: Token[], writing: Writing): string {
  let written = '';
  for (const [index, token] of tokens.entries()) {
    const mark = findMark(token, writing.marks);
    if (mark === null) {
      const part = writePart(token, writing);
      // A tag that breaks the line often stands at its end.
      const isBroken = token.type === 'text' && tokens[index - 1]?.type === 'html' && written.endsWith('\n');
      written += isBroken ? part.replace(BREAK, '') : part;
    } else {
      const next = tokens[index + 1]?.raw ?? '';
      const words = writeInline((token as Tokens.Strong).tokens, writing);
      // Networks read a mark inside of a word as a character.
      const isInWord = ENDS_IN_WORD.test(written) || BEGINS_WORD.test(next);
      if (isNoFormat(token, { before: written, next, isInWord })) written += token.raw;
      else written += isInWord ? words : surround(words, mark);
    }
  }
  return written;
}

/** A code to dial, such as `*99*`. */
const DIAL_CODE = /^\*[\d#]+\*$/;
/** A name of a program, such as `__init__`. One letter between the marks is formatted. */
const PROGRAM_NAME = /^__[a-z][a-z_]+__$/;

/** Marks between digits are a calculation; single stars next to a word are one too, or a code such as `AB*12*CD`. */
function isNoFormat(
  { type, raw }: Token,
  { before, next, isInWord }: { before: string; next: string; isInWord: boolean },
): boolean {
  if (ENDS_IN_DIGIT.test(before) && BEGINS_WITH_DIGIT.test(next)) return true;
  if (type === 'em') return raw.startsWith('*') && (isInWord || DIAL_CODE.test(raw));
  return PROGRAM_NAME.test(raw);
}

/** Returns the mark of formatted words; null for anything else. */
function findMark({ type, raw }: Token, { bold, italic, strike }: TextMarks): string | null {
  if (type === 'strong') return bold;
  if (type === 'em') return italic;
  // A single tilde means "about" as well: ~5 to ~10.
  return type === 'del' && raw.startsWith('~~') ? strike : null;
}

/** Stars that the parser leaves, because models write `**Price:**5`, which is no Markdown. */
const LEFT_BOLD = /(?<![\p{L}\p{N}*])\*\*(?=[^\s*])([^*\n]*[^\s*])\*\*(?!\*)/gu;
/** Tags of simple HTML. Those of the first kind break the line, and those of the second only format words. */
const TAG = /<\/?(?:(br|p|div|ul|ol|li|h[1-6])|(?:b|strong|i|em|u|s|span|small))(?:\s[^<>]{0,200})?\/?>/gi;
const MANY_BREAKS = /\n{3,}/g;
const ENTITY = /&(amp|lt|gt|quot|apos|nbsp|#39|#x27);/gi;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['#39', "'"],
  ['#x27', "'"],
  ['nbsp', ' '],
]);

const decode = (text: string): string =>
  text.replaceAll(ENTITY, (all, name: string) => ENTITIES.get(name.toLowerCase()) ?? all);

/** Makes text with line breaks of simple HTML; every other tag stays. */
const removeTags = (html: string): string =>
  html
    .replaceAll(TAG, (_tag, block: string | undefined) => (block === undefined ? '' : '\n'))
    .replaceAll(MANY_BREAKS, '\n\n');

const writeWords = (text: string, bold: string): string =>
  text.replaceAll(LEFT_BOLD, (_all, words: string, at: number) =>
    BEGINS_WORD.test(text.slice(at + words.length + 4)) ? words : surround(words, bold),
  );

function writePart(token: Token, writing: Writing): string {
  const { raw, type } = token;
  const { bold, code } = writing.marks;
  switch (type) {
    case 'text':
      return writeWords(decode(raw), bold);
    case 'escape':
      // Two backslashes begin the path of a server.
      return raw === '\\\\' ? raw : (token as Tokens.Escape).text;
    case 'codespan':
      return surround((token as Tokens.Codespan).text, code);
    case 'br':
      return '\n';
    case 'html':
      return removeTags(raw);
    case 'link':
    case 'image':
      return writeLink(token as Tokens.Link, writing);
    default:
      return raw;
  }
}

const SCHEME = /^(?:https?:|mailto:|tel:)/i;

/** Messengers show no words in the place of an address, so that it is written after them. */
function writeLink({ raw, href, text, tokens }: Tokens.Link, writing: Writing): string {
  if (raw.startsWith('<')) return raw.slice(1, -1);
  // An address that stands by itself, or words that are explained further below, and only sometimes by an address.
  if (!/^!?\[/.test(raw) || (raw.endsWith(']') && !SCHEME.test(href))) return raw;
  const words = (tokens ? writeInline(tokens, writing) : text).trim();
  if (href === '' || !writing.keepsLink(href)) return words;
  if (words === '') return href;
  return words === href || `mailto:${words}` === href ? words : `${words} (${href})`;
}

/** Puts the mark around each line, because networks end a format at the end of the line. Words that have the mark already keep theirs. */
function surround(words: string, mark: string): string {
  if (mark === '' || words.includes(mark)) return words;
  return words
    .split('\n')
    .map((line) => (line.trim() === '' ? line : line.replace(line.trim(), () => mark + line.trim() + mark)))
    .join('\n');
}

const prefixLines = (text: string, prefix: string): string =>
  text
    .split('\n')
    .map((line) => `${prefix}${line}`.trimEnd())
    .join('\n');

/** The line breaks at the end. */
function findTail(raw: string): string {
  let end = raw.length;
  while (raw[end - 1] === '\n') end -= 1;
  return raw.slice(end);
}

/** Turns the HTML of a mail into plain text. Only text leaves this module, so that nothing in a mail can run or load in a browser. */
import { Parser } from 'htmlparser2';
import { declareLimit } from '../../platform/values/limits.ts';

/** The longest HTML that is read. Newsletters have some 100 kB. */
const MAX_HTML = declareLimit(2 * 1024 * 1024, {
  topic: 'E-mail',
  what: 'HTML: size',
  unit: 'bytes',
  beyond: 'cut',
});
/** The deepest nesting that is read. Nested tables of real mails have some 60 levels, and the cost of each tag grows with the depth. */
const MAX_DEPTH = declareLimit(500, { topic: 'E-mail', what: 'HTML: levels', beyond: 'the rest is cut' });
/** The HTML is read in pieces, so that reading ends soon after the depth is exceeded. */
const PIECE = 8_192;
/** The longest address that stands beside the text of a link. Longer ones carry data for counting clicks. */
const MAX_LINK = declareLimit(500, {
  topic: 'E-mail',
  what: 'HTML: address shown next to the text of a link',
  unit: 'characters',
  beyond: 'left out',
});
/** The most signs before a quoted line. */
const MAX_QUOTES = 8;

const toSet = (names: string): ReadonlySet<string> => new Set(names.split(' '));

const HIDDEN = toSet('head script style title template noscript object svg math select');
/** An empty line stands before and after these. */
const SEPARATED = toSet('p h1 h2 h3 h4 h5 h6 blockquote pre ul ol');
/** These begin and end a line as well. */
const LINES = toSet(
  'address article aside center dd div dl dt fieldset figure footer form header hr li main nav section table tbody tfoot thead tr',
);

const isBlock = (name: string): boolean => SEPARATED.has(name) || LINES.has(name);

export interface ReadHtml {
  text: string;
  /** The ids of the mail's own pictures that only quoted parts show: those of the mail that is answered. */
  quotedPictures: ReadonlySet<string>;
}

/** Reads the HTML up to the place where it gets too long or too deeply nested to be read. */
export function readHtml(html: string): ReadHtml {
  const writer = new TextWriter();
  const pictures = { quoted: new Set<string>(), own: new Set<string>() };
  const finish = (): ReadHtml => ({
    text: writer.finish(),
    quotedPictures: pictures.quoted.difference(pictures.own),
  });
  let depth = 0;
  let hidden = 0;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      depth += 1;
      if (HIDDEN.has(name)) hidden += 1;
      if (hidden === 0) openTag(writer, name, attributes);
      const picture = name === 'img' ? readPictureId(attributes['src']) : null;
      if (picture !== null) pictures[writer.quotes > 0 ? 'quoted' : 'own'].add(picture);
    },
    ontext: (text) => {
      if (hidden === 0) writer.write(text);
    },
    onclosetag: (name) => {
      depth -= 1;
      if (hidden === 0) closeTag(writer, name);
      if (HIDDEN.has(name)) hidden -= 1;
    },
  });
  const end = Math.min(html.length, MAX_HTML);
  for (let at = 0; at < end; at += PIECE) {
    parser.write(html.slice(at, Math.min(end, at + PIECE)));
    // Without the end of the HTML, the parser closes none of the tags.
    if (depth > MAX_DEPTH) return finish();
  }
  parser.end();
  return finish();
}

/** The id of a picture that the mail brings; null for one that is elsewhere. */
const readPictureId = (source: string | undefined): string | null =>
  source !== undefined && /^cid:/i.test(source) ? source.slice(4) : null;

function openTag(writer: TextWriter, name: string, { href, alt }: Record<string, string>): void {
  if (isBlock(name)) writer.endLine(SEPARATED.has(name));
  if (name === 'blockquote') writer.quotes += 1;
  if (name === 'br') writer.breakLine();
  if (name === 'li') writer.write('- ');
  if (name === 'td' || name === 'th') writer.write(' ');
  if (name === 'img' && alt) writer.write(alt);
  if (name === 'a') writer.openLink(href);
}

function closeTag(writer: TextWriter, name: string): void {
  if (name === 'a') writer.closeLink();
  if (isBlock(name)) writer.endLine(SEPARATED.has(name));
  if (name === 'blockquote') writer.quotes -= 1;
}

class TextWriter {
  /** How many quotations surround the text that is written now. */
  quotes = 0;
  #lines: string[] = [];
  /** The line that is written now, in pieces: joining each piece to it would take quadratic time. */
  #line: string[] = [];
  #endsInSpace = true;
  #wantsEmptyLine = false;
  /** The links that surround the text that is written now: each address, and the text of the link so far. */
  #links: { address: string | null; text: string }[] = [];

  write(text: string): void {
    const spaced = text.replaceAll(/[\s\u00ad\u200b-\u200d\u2060\ufeff]+/g, ' ');
    const added = this.#endsInSpace ? spaced.trimStart() : spaced;
    if (added !== '') {
      this.#line.push(added);
      this.#endsInSpace = added.endsWith(' ');
    }
    const link = this.#links.at(-1);
    if (link && link.text.length <= MAX_LINK) link.text += spaced;
  }

  openLink(href: string | undefined): void {
    this.#links.push({ address: readAddress(href), text: '' });
  }

  /** Writes the address of the link after its text, unless the text already shows it. */
  closeLink(): void {
    const link = this.#links.pop();
    if (link?.address && !link.text.includes(link.address.replace(/^(https?:\/\/|mailto:)|\/$/g, '')))
      this.write(` (${link.address})`);
  }

  breakLine(): void {
    const marks = '> '.repeat(Math.min(this.quotes, MAX_QUOTES));
    const line = this.#line.join('').trimEnd();
    const last = this.#lines.at(-1);
    const followsText = last !== undefined && /[^> ]/.test(last);
    if (this.#wantsEmptyLine && followsText) this.#lines.push('');
    // Of several empty lines one is kept.
    if (line !== '' || (followsText && !this.#wantsEmptyLine)) this.#lines.push((marks + line).trimEnd());
    this.#wantsEmptyLine = false;
    this.#line = [];
    this.#endsInSpace = true;
  }

  /** Ends the line if there is text in it. */
  endLine(isSeparated: boolean): void {
    // Spaces at the beginning of a line are not kept, so a line with pieces has text.
    if (this.#line.length > 0) this.breakLine();
    if (isSeparated) this.#wantsEmptyLine = true;
  }

  finish(): string {
    this.endLine(false);
    return this.#lines.join('\n').trim();
  }
}

function readAddress(href: string | undefined): string | null {
  const address = href?.trim() ?? '';
  return /^(https?:\/\/|mailto:)/i.test(address) && address.length <= MAX_LINK ? address : null;
}

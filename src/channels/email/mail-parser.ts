/** Opens the library's parser of mails, and mends what it refuses or spoils: unclear charsets, and mails that exceed its limits. */
import { Readable, Transform } from 'node:stream';
import { MailParser, type HeaderLines, type Headers } from 'mailparser';
import { decodeUnclear } from './charset.ts';
import { shortenHead } from './long-head.ts';
import { declareLimit } from '../../platform/values/limits.ts';

/** The most parts of a mail, and the most bytes of the headers of a part. Real mails rarely exceed one of them. */
const MAX_PARTS = declareLimit(200, {
  topic: 'E-mail',
  what: 'Received e-mail: parts',
  beyond: 'only its text is stored',
});
const MAX_HEADER_BYTES = declareLimit(128 * 1024, {
  topic: 'E-mail',
  what: 'Received e-mail: headers of a part',
  unit: 'bytes',
  beyond: 'only the text is stored',
});

/** The name by which the parser asks for the decoder of a text in UTF-8 or without a charset. */
const UNCLEAR = 'x-unclear';
const isUnclear = (charset: string): boolean => /^(?:us-?ascii|ascii|utf-?8)$/i.test(charset);

/** The methods and fields of the library that its types leave out. */
interface Internals {
  splitter: Splitter;
  libmime: { decodeWord: (charset: string, encoding: string, text: string) => string };
  createNode(node: unknown): ParsedNode;
  getDecoder(): { decodeStream(charset: string): Transform };
  processHeaders(lines: HeaderLines): Headers;
}

/** Divides a mail into its parts, and returns an error where it exceeds a limit. */
interface Splitter {
  takePendingLine(): unknown;
  enforcePendingLineLimit(): Error | null;
  processLine(line: unknown, isLast: boolean, done: (error?: Error | null, ...found: unknown[]) => void): void;
}

interface ParsedNode {
  charset?: string;
}

const Library = MailParser as unknown as new (options: object) => MailParser & Internals;

export class LenientParser extends Library {
  /** True as soon as the mail exceeds a limit. What follows is not read. */
  isCut = false;

  constructor(options: object) {
    super(options);
    const { libmime } = this;
    const decodeWord = libmime.decodeWord.bind(libmime);
    libmime.decodeWord = (charset, encoding, text) =>
      isUnclear(charset)
        ? decodeUnclear(Buffer.from(decodeWord('iso-8859-1', encoding, text), 'latin1'))
        : decodeWord(charset, encoding, text);
    this.#endAtLimit(this.splitter);
  }

  #endAtLimit(splitter: Splitter): void {
    const enforce = splitter.enforcePendingLineLimit.bind(splitter);
    const readLine = splitter.processLine.bind(splitter);
    splitter.enforcePendingLineLimit = () => {
      this.isCut ||= enforce() !== null;
      if (this.isCut) splitter.takePendingLine();
      return null;
    };
    splitter.processLine = (line, isLast, done) => {
      if (this.isCut) done();
      else
        readLine(line, isLast, (error, ...found) => {
          // The only errors are those of the limits.
          this.isCut ||= Boolean(error);
          done(null, ...found);
        });
    };
  }

  override createNode(node: unknown): ParsedNode {
    const created = super.createNode(node);
    if (isUnclear(created.charset ?? 'utf-8')) created.charset = UNCLEAR;
    return created;
  }

  override getDecoder() {
    const library = super.getDecoder();
    return {
      decodeStream(charset: string): Transform {
        if (charset === UNCLEAR) return decodeStream();
        try {
          return library.decodeStream(charset);
        } catch {
          // Failure policy: a text in a charset that nobody knows is read like one without.
          return decodeStream();
        }
      },
    };
  }

  override processHeaders(lines: HeaderLines): Headers {
    // Each character of a line is a byte of the mail.
    const mended = lines.map(({ key, line }) => ({ key, line: mendLine(line) }));
    return super.processHeaders(mended);
  }
}

const mendLine = (line: string): string => Buffer.from(decodeUnclear(Buffer.from(line, 'latin1'))).toString('latin1');

function decodeStream(): Transform {
  const pieces: Buffer[] = [];
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      pieces.push(piece);
      done();
    },
    flush(done) {
      done(null, decodeUnclear(Buffer.concat(pieces)));
    },
  });
}

export function openParser(source: Readable): LenientParser {
  const parser = new LenientParser({
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipTextLinks: true,
    skipImageLinks: true,
    keepDeliveryStatus: true,
    // Mails inside of this mail are files.
    ignoreEmbedded: true,
    // With the empty line behind the headers.
    maxHeadSize: MAX_HEADER_BYTES + 2,
    maxChildNodes: MAX_PARTS,
  });
  const shortened = Readable.from(shortenHead(source, MAX_HEADER_BYTES), { objectMode: false });
  shortened.once('error', (error) => parser.destroy(error));
  parser.once('close', () => shortened.destroy());
  return shortened.pipe(parser);
}

/** XML of workbooks, as a stream of tags: no document type, no entities but XML's five, nothing that grows without end. */
import { SaxesParser } from 'saxes';
import { inSteps, isBroken, sheetFault } from './sheet.ts';

export interface TagHandlers {
  open?(name: string, attributes: Record<string, string>): void;
  text?(text: string): void;
  close?(name: string): void;
}

// The parser holds a text, a tag or a comment until it ends; a cell holds 32,767 letters.
const MAX_SILENT_BYTES = 512 * 1024;

/** Names without their prefix. Yields after each piece, so that its caller can take what the handlers found. */
export async function* readXml(pieces: AsyncIterable<Buffer>, handlers: TagHandlers): AsyncGenerator<void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parser = new SaxesParser();
  let silentBytes = 0;
  const resetSilence = (): void => void (silentBytes = 0);
  parser.on('doctype', () => {
    throw sheetFault('has a document type in its XML, which no workbook has', 'NOT_A_SHEET');
  });
  parser.on('opentag', (tag) => {
    resetSilence();
    handlers.open?.(bare(tag.name), tag.attributes);
  });
  parser.on('closetag', (tag) => {
    resetSilence();
    handlers.close?.(bare(tag.name));
  });
  const takeText = (text: string): void => {
    resetSilence();
    handlers.text?.(text);
  };
  parser.on('text', takeText);
  parser.on('cdata', takeText);
  try {
    for await (const piece of inSteps(pieces)) {
      parser.write(decoder.decode(piece, { stream: true }));
      silentBytes += piece.length;
      if (silentBytes > MAX_SILENT_BYTES) throw sheetFault('has a text without end in its XML', 'TOO_LARGE');
      yield;
    }
    parser.write(decoder.decode()).close();
  } catch (error) {
    // Failure policy: what the parser says quotes the file; the caller learns that its XML is broken.
    throw isBroken(error) ? sheetFault('has broken XML in it') : error;
  }
  yield;
}

const bare = (name: string): string => name.slice(name.indexOf(':') + 1);

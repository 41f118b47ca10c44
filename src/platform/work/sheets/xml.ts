/** Parses the XML of workbooks as a stream of tags. Document types and custom entities are refused, and memory use is limited. */
import { SaxesParser } from 'saxes';
import { fileFault, isBroken } from '../file-fault.ts';
import { splitIntoSteps } from './sheet.ts';

export interface TagHandlers {
  open?(name: string, attributes: Record<string, string>): void;
  text?(text: string): void;
  close?(name: string): void;
}

// The most bytes without an end of a text, tag or comment, because the parser keeps it in memory until then. A cell has at most 32,767
// characters.
const MAX_SILENT_BYTES = 512 * 1024;
// The deepest tag: the parser keeps all open tags in memory. The parts of a workbook nest some ten deep.
const MAX_DEPTH = 100;

/**
 * Reads XML and calls the handlers with tag names without their prefix. Yields after each piece, so that the caller can collect the results
 * of the handlers.
 */
export async function* readXml(pieces: AsyncIterable<Buffer>, handlers: TagHandlers): AsyncGenerator<void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parser = new SaxesParser();
  let silentBytes = 0;
  const resetSilence = (): void => void (silentBytes = 0);
  parser.on('doctype', () => {
    throw fileFault('has a document type in its XML, which no workbook has', 'NOT_A_SHEET');
  });
  let depth = 0;
  parser.on('opentag', (tag) => {
    resetSilence();
    if ((depth += 1) > MAX_DEPTH) throw fileFault(`has tags nested deeper than ${MAX_DEPTH} in its XML`, 'TOO_LARGE');
    handlers.open?.(localName(tag.name), tag.attributes);
  });
  parser.on('closetag', (tag) => {
    resetSilence();
    depth -= 1;
    handlers.close?.(localName(tag.name));
  });
  const takeText = (text: string): void => {
    resetSilence();
    handlers.text?.(text);
  };
  parser.on('text', takeText);
  parser.on('cdata', takeText);
  try {
    for await (const piece of splitIntoSteps(pieces)) {
      parser.write(decoder.decode(piece, { stream: true }));
      silentBytes += piece.length;
      if (silentBytes > MAX_SILENT_BYTES) throw fileFault('has a text without end in its XML', 'TOO_LARGE');
      yield;
    }
    parser.write(decoder.decode()).close();
  } catch (error) {
    // Failure policy: the parser's message may quote the file, so the caller learns only that the XML is broken.
    throw isBroken(error) ? fileFault('has broken XML in it') : error;
  }
  yield;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

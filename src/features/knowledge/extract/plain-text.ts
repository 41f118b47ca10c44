/** Reads a text file. Its encoding was checked when it was uploaded: UTF-8 without NUL. This runs in child processes. */
import type { ByteSource } from '../../../platform/store/byte-source.ts';
import type { TextCollector } from './collector.ts';

export async function readPlainText(source: ByteSource, collector: TextCollector): Promise<void> {
  const decoder = new TextDecoder();
  for await (const piece of source.read(0, source.bytes)) collector.addText(decoder.decode(piece, { stream: true }));
  collector.addText(decoder.decode());
}

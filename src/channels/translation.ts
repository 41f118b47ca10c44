/** Reads items of networks in a child process, because they are foreign files. */
import { Readable } from 'node:stream';
import type { Supply } from '../platform/work/child.ts';
import { suppliedSource } from '../platform/work/child-work.ts';
import type { Inbound } from './channel.ts';
import type { ExtractionRequest, TranslationRequest } from './fetching.ts';
import { findExtractor, findTranslator } from './registry.ts';

/** Returns one unreadable element for an item that cannot be read. */
export async function answerTranslation(
  { translate: channel, bytes, item }: TranslationRequest,
  supply: Supply,
): Promise<(Inbound | null)[]> {
  const translate = findTranslator(channel);
  if (!translate) throw new Error(`the channel ${channel} translates nothing`);
  try {
    return await translate({ ...item, raw: openItem(bytes, supply) });
  } catch (error) {
    // Failure policy: the item is broken, and would be at each further try. The caller keeps it aside.
    return [{ kind: 'unreadable', address: item.address, reason: (error as Error).message, raw: null }];
  }
}

/** Returns null when the item has no file with this name. */
export async function answerExtraction(
  { takeFrom: channel, bytes, file }: ExtractionRequest,
  supply: Supply,
): Promise<Buffer | null> {
  const extract = findExtractor(channel);
  if (!extract) throw new Error(`nothing is pushed to the channel ${channel}`);
  return extract(openItem(bytes, supply), file);
}

const openItem = (bytes: number, supply: Supply): Readable =>
  Readable.from(suppliedSource(bytes, supply).read(0, bytes), { objectMode: false });

/** Translates fetched items in a child process, because they are foreign files. */
import { Readable } from 'node:stream';
import type { Supply } from '../platform/child.ts';
import { suppliedSource } from '../platform/child-work.ts';
import type { Inbound } from './channel.ts';
import type { TranslationRequest } from './fetching.ts';
import { findTranslator } from './registry.ts';

/** Returns one unreadable element for an item that can not be read. */
export async function answerTranslation(
  { translate: channel, bytes, item }: TranslationRequest,
  supply: Supply,
): Promise<(Inbound | null)[]> {
  const translate = findTranslator(channel);
  if (!translate) throw new Error(`the channel ${channel} translates nothing`);
  const raw = Readable.from(suppliedSource(bytes, supply).read(0, bytes), { objectMode: false });
  try {
    return await translate({ ...item, raw });
  } catch (error) {
    // Failure policy: the item is broken, and would be at each further try. The caller keeps it aside.
    return [{ kind: 'unreadable', address: item.address, reason: (error as Error).message, raw: null }];
  }
}

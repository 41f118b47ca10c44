/** Has a child process translate what a network hands over whole, such as a mail, because that is a foreign file. */
import type { Inbound } from '../../channels/channel.ts';
import { textOf } from '../../channels/content.ts';
import type { TranslatedItem, TranslationRequest } from '../../channels/fetching.ts';
import type { Kit } from '../../kit.ts';
import { readBytes, type ByteSource } from '../../platform/store/byte-source.ts';
import { AppError } from '../../platform/values/errors.ts';
import { readInChild } from '../../platform/work/media/reading.ts';

/** The CPU time in which an item is translated. The largest mails take some four seconds. */
const CPU_MS = 8_000;
/** How much is kept of an item that cannot be read. */
const KEPT_BYTES = 64 * 1024;

export interface WholeItem {
  company: string;
  channel: string;
  item: Omit<TranslatedItem, 'raw'>;
  source: ByteSource;
}

/** Returns one unreadable element for an item that cannot be read. Throws UNAVAILABLE when no child process is free. */
export async function translateItem(
  kit: Kit,
  { company, channel, item, source }: WholeItem,
  how: { signal?: AbortSignal; patienceMs: number; isAwaited: boolean },
): Promise<(Inbound | null)[]> {
  const { signal, ...work } = how;
  const request: TranslationRequest = { translate: channel, bytes: source.bytes, item };
  try {
    const reading = { owner: company, source, ...(signal && { signal }) };
    const elements = await readInChild<(Inbound | null)[]>(kit.readers, reading, { request, cpuMs: CPU_MS, ...work });
    const kept: (Inbound | null)[] = [];
    for (const element of elements)
      kept.push(element?.kind === 'unreadable' ? await keepAside(item.address, source, element.reason) : element);
    return kept;
  } catch (error) {
    // Failure policy: an item that takes too much time or memory is kept aside, because it would at each further try.
    if (!(error instanceof AppError) || error.code === 'UNAVAILABLE') throw error;
    return [await keepAside(item.address, source, error.message)];
  }
}

/** Makes the element of an item that cannot be read, with its beginning. */
export async function keepAside(address: string, source: ByteSource, reason: string): Promise<Inbound> {
  const raw = await readBytes(source, 0, Math.min(source.bytes, KEPT_BYTES));
  return { kind: 'unreadable', address, reason, raw };
}

/** The size of elements, for the share of the memory that storing them takes. */
export const countBytes = (elements: (Inbound | null)[]): number =>
  elements.reduce(
    (sum, element) =>
      sum + (element?.kind === 'message' ? (textOf(element)?.length ?? 0) + (element.body?.length ?? 0) : 0),
    0,
  );

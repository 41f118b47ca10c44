/** Keeps what has brought the files of messages, for a day, so that they are taken out of it on the way of all files. */
import { Readable } from 'node:stream';
import type { Inbound, InboundMessage } from '../../../channels/channel.ts';
import { findFile } from '../../../channels/content.ts';
import type { Kit } from '../../../kit.ts';
import type { ByteSource } from '../../../platform/store/byte-source.ts';
import { exceedsQuota } from '../downloads/queries.ts';
import { hasFiles } from './queries.ts';
import { makeItemKey } from './reference.ts';

interface Item {
  company: string;
  id: string;
}

/** Returns false when the company stores as much as it may, and nothing was kept. */
export async function keepItem(
  kit: Kit,
  { company, id }: Item,
  source: Pick<ByteSource, 'bytes' | 'read'>,
): Promise<boolean> {
  if (await exceedsQuota(kit.database.system(`company:${company}`), company, source.bytes)) return false;
  const content = Readable.from(source.read(0, source.bytes), { objectMode: false });
  const contentType = 'application/octet-stream';
  await kit.files.put(makeItemKey(company, id), content, { maxBytes: source.bytes, contentType });
  return true;
}

/** Removes an item of which no stored message has a file. Otherwise one that is repeated again and again would fill the store. */
export async function removeUnusedItem(
  kit: Kit,
  { company, id, inbox }: Item & { inbox: string },
  files: readonly InboundMessage[],
): Promise<void> {
  const externalIds = files.flatMap(({ externalId, distinct }) => [
    externalId,
    ...(distinct ? [distinct.otherId] : []),
  ]);
  const networkIds = files.flatMap((file) => findFile(file)?.networkId ?? []);
  const system = kit.database.system(`company:${company}`);
  if (!(await hasFiles(system, { company, inbox, externalIds, networkIds })))
    await kit.files.remove(makeItemKey(company, id));
}

/** The messages of an element that have a file. The mail of a report is stored where the report is about no message of ours. */
export const listFiles = (element: Inbound | null): InboundMessage[] =>
  (element?.kind === 'report' ? element.mail : [element]).filter(
    (each) => each?.kind === 'message' && findFile(each) !== null,
  ) as InboundMessage[];

/** Opens a file of a message that was pushed, out of the item that brought it. */
import type { FetchResult } from '../../../channels/content.ts';
import type { Kit } from '../../../kit.ts';
import { takeOut } from '../take-out.ts';
import { makeItemKey } from './reference.ts';

interface PushedFile {
  company: string;
  channel: string;
  item: string;
  file: string;
}

/** Answers as `fetchFile` of a channel does. Throws UNAVAILABLE when no child process is free. */
export async function openPushedFile(
  kit: Kit,
  { item, ...file }: PushedFile,
  signal: AbortSignal,
): Promise<FetchResult> {
  const whole = await kit.files.get(makeItemKey(file.company, item));
  if (whole) return takeOut(kit, file, { body: whole.body, maxBytes: whole.bytes }, signal);
  return { outcome: 'gone', reason: 'The mail is no longer stored, or the company had reached its storage quota.' };
}

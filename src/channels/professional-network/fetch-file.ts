/** Fetches a file that a contact sent, by the ids of its message and of the attachment. */
import { explainFetchFailure, type FetchResult, type WantedFile } from '../content.ts';
import { readFileName } from './content.ts';
import { toRequest, type Network } from './gateway.ts';

/** The answers by which the gateway says that it will never have the file. */
const GONE = [404, 410, 422];

export async function fetchFile(
  { outbound, gateway }: Network,
  { media, maxBytes }: WantedFile,
  signal: AbortSignal,
): Promise<FetchResult> {
  if (media.networkId === null) return { outcome: 'gone', reason: 'The network does not provide the file.' };
  if (!gateway) return { outcome: 'failed', reason: 'This installation has no gateway to the network.' };
  const [message, attachment] = readFileName(media.networkId);
  const path = ['messages', message, 'attachments', attachment];
  try {
    const request = toRequest(gateway, { method: 'GET', path, signal });
    const { accept: _json, ...headers } = request.headers ?? {};
    const { status, headers: told, body } = await outbound.streamOperator({ ...request, headers, maxBytes });
    if (status === 200) {
      const mimeType = (told['content-type'] ?? media.mimeType)?.replace(/;.*$/, '').trim().toLowerCase() || null;
      return { outcome: 'found', body, mimeType, bytes: null, sha256: null };
    }
    body.destroy();
    const outcome = GONE.includes(status) ? 'gone' : 'failed';
    return { outcome, reason: `The gateway answered ${status} instead of the file.` };
  } catch (error) {
    return explainFetchFailure(error);
  }
}

/**
 * Fetches a file that a contact sent: from the link under which the gateway keeps it, or else from the gateway, which answers with JSON that has the
 * file in it as base64.
 */
import { Readable } from 'node:stream';
import type { NetworkAccess } from '../channel.ts';
import { explainFetchFailure, type FetchResult, type WantedFile } from '../content.ts';
import { OutboundError } from '../../platform/outside/outbound-error.ts';
import type { Json } from '../values.ts';
import { readFileName } from './file-name.ts';
import { toRequest } from './gateway.ts';
import type { PartnerApiConfig } from './settings.ts';

type Network = Pick<NetworkAccess, 'outbound'>;
type Found = Extract<FetchResult, { outcome: 'found' }>;

/** What the answer has before the file: its name, its caption and its format. */
const MAX_HEAD = 64 * 1024;
/** The words of a gateway that does not have the message, or whose integration provides no files. */
const NO_FILE = /Message not found|not of the media type|Method not available/i;
const BASE64_BEGINS = /"base64"\s*:\s*"/;

export async function fetchFile(
  network: Network,
  wanted: WantedFile,
  config: PartnerApiConfig,
  signal: AbortSignal,
): Promise<FetchResult> {
  const { networkId } = wanted.media;
  if (networkId === null) return { outcome: 'gone', reason: 'The gateway gave the file no id.' };
  const { id, url, cloud } = readFileName(networkId);
  const kept = url === null ? null : await fetchLink(network, url, { wanted, signal });
  if (kept) return kept;
  try {
    return await askGateway(network, describeWanted(id, cloud), { wanted, config, signal });
  } catch (error) {
    return explainFetchFailure(error);
  }
}

/** A paired phone's gateway finds the message by its id. The Cloud API's has to be told which file it is. */
const describeWanted = (id: string, cloud: ReturnType<typeof readFileName>['cloud']): Json => ({
  key: { id },
  ...(cloud && { messageType: cloud.part, message: { [cloud.part]: { id: cloud.id } } }),
});

interface Fetching {
  wanted: WantedFile;
  signal: AbortSignal;
}

/** Failure policy: null when the link does not open, because it may have expired or lead into the gateway's own network. */
async function fetchLink({ outbound }: Network, url: string, { wanted, signal }: Fetching): Promise<Found | null> {
  try {
    const { status, body } = await outbound.streamTenant({ method: 'GET', url, signal, maxBytes: wanted.maxBytes });
    if (status === 200) return { outcome: 'found', body, mimeType: bareMimeType(wanted), bytes: null, sha256: null };
    body.destroy();
    return null;
  } catch {
    return null;
  }
}

async function askGateway(
  { outbound }: Network,
  message: Json,
  { wanted, config, signal }: Fetching & { config: PartnerApiConfig },
): Promise<FetchResult> {
  const body = { message, convertToMp4: false };
  const request = toRequest({ method: 'POST', path: 'chat/getBase64FromMediaMessage', body, config, signal });
  if (!request) return { outcome: 'failed', reason: 'The api_key has characters that no key has.' };
  const maxBytes = Math.ceil((wanted.maxBytes * 4) / 3) + 2 * MAX_HEAD;
  const answer = await outbound.streamTenant({ ...request, maxBytes });
  if (answer.status < 300) {
    const file = Readable.from(decodeFile(answer.body, wanted.maxBytes), { objectMode: false });
    file.once('close', () => answer.body.destroy());
    return { outcome: 'found', body: file, mimeType: bareMimeType(wanted), bytes: null, sha256: null };
  }
  const words = await readHead(answer.body);
  // The gateway answers 400 to passing faults as well, so only its words show that it will never hand out the file.
  if (answer.status === 400 && NO_FILE.test(words))
    return { outcome: 'gone', reason: 'The gateway does not provide the file.' };
  return { outcome: 'failed', reason: `The gateway answered ${answer.status} instead of the file.` };
}

/** Returns the beginning of an answer, and closes it. */
async function readHead(answer: Readable): Promise<string> {
  let head = '';
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    head += chunk.toString('latin1');
    if (head.length > MAX_HEAD) break;
  }
  return head;
}

/** Returns the media type that the message announced, without its parameters. */
const bareMimeType = ({ media }: WantedFile): string | null =>
  media.mimeType?.replace(/;.*$/, '').trim().toLowerCase() || null;

const makeError = (words: string): OutboundError => new OutboundError('BODY', true, words);

/** Reads the file out of the JSON while it arrives, so that a file of any size takes little memory. */
async function* decodeFile(answer: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let rest = '';
  let hasBegun = false;
  let written = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    rest += chunk.toString('latin1');
    if (!hasBegun) {
      const start = BASE64_BEGINS.exec(rest);
      if (!start && rest.length > MAX_HEAD) break;
      if (!start) continue;
      hasBegun = true;
      rest = rest.slice(start.index + start[0].length);
    }
    const end = rest.indexOf('"');
    // Four characters are three bytes, so the characters beyond a multiple of four wait for the next chunk.
    const usable = end === -1 ? rest.length - (rest.length % 4) : end;
    const bytes = Buffer.from(rest.slice(0, usable), 'base64');
    written += bytes.length;
    if (written > maxBytes) throw new OutboundError('TOO_LARGE', true, `The file has more than ${maxBytes} bytes.`);
    if (bytes.length > 0) yield bytes;
    if (end !== -1) return;
    rest = rest.slice(usable);
  }
  throw makeError('The response of the gateway has no complete file in it.');
}

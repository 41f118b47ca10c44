/** Stores the file of a send: one that the request brings, as base64 or in a form, or one at an address. */
import { Readable } from 'node:stream';
import { OutboundError } from '../../platform/outside/outbound-error.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import type { InnerFile } from '../inner-calls.ts';
import { badRequest } from './errors.ts';
import type { EvolutionCaller } from './route.ts';
import type { Send } from './sending.ts';

const FILE_BYTES = declareLimit(30 * 1024 * 1024, {
  topic: 'Evolution',
  what: 'File at an address',
  unit: 'bytes',
  beyond: '400',
});
const FETCH_MS = declareLimit(30_000, {
  topic: 'Evolution',
  what: 'File at an address: time',
  unit: 'ms',
  beyond: '400',
});
const REDIRECTS = declareLimit(3, { topic: 'Evolution', what: 'File at an address: redirects', beyond: '400' });

export interface WantedFile {
  /** An address or base64, as the client has written it. */
  media: string | null;
  fileName: string | null;
  /** The platform's type of the attachment. */
  fileType: 'IMAGE' | 'VIDEO' | 'AUDIO' | 'DOCUMENT' | 'STICKER';
}

/** Stores the file as an attachment, and returns its id. */
export async function storeFile({ caller, asked }: Send, wanted: WantedFile): Promise<string> {
  const file = asked.file
    ? { name: wanted.fileName ?? asked.file.fileName, content: Readable.from(asked.file.read()) }
    : await openMedia(caller, wanted);
  const { idempotencyKey: key } = asked;
  const form = { parts: { fileType: wanted.fileType }, file };
  try {
    const stored = await caller.call('POST', '/v1/resource/upload-attachment', {
      form,
      ...(key && { idempotencyKey: `${key}:file` }),
    });
    return stored._id as string;
  } catch (error) {
    throw explainFetch(error);
  }
}

/** Failure policy: the client is told why its address gives no file; other errors are thrown on. */
const explainFetch = (error: unknown): unknown =>
  error instanceof OutboundError ? badRequest(`The media cannot be fetched: ${error.message}`) : error;

async function openMedia(caller: EvolutionCaller, { media, fileName, fileType }: WantedFile): Promise<InnerFile> {
  const given = media?.trim() ?? '';
  if (/^https?:\/\//i.test(given)) return fetchFile(caller, given, fileName);
  const bytes = readBase64(given);
  if (!bytes) throw badRequest('Owned media must be a url or base64');
  if (fileType === 'DOCUMENT' && fileName === null) throw badRequest('For base64 the file name must be informed.');
  return { name: fileName ?? fileType.toLowerCase(), content: Readable.from([bytes]) };
}

/** Reads base64, also in a data URL. */
function readBase64(given: string): Buffer | null {
  const text = /^data:[^,]*;base64,/i.test(given.slice(0, 200)) ? given.slice(given.indexOf(',') + 1) : given;
  const packed = text.replaceAll(/\s/g, '');
  return /^[\w+/-]+={0,2}$/.test(packed) ? Buffer.from(packed, 'base64') : null;
}

async function fetchFile({ kit }: EvolutionCaller, address: string, fileName: string | null): Promise<InnerFile> {
  const signal = AbortSignal.timeout(FETCH_MS);
  let url = address;
  try {
    for (let followed = 0; followed <= REDIRECTS; followed += 1) {
      const { status, headers, body } = await kit.outbound.streamTenant({
        method: 'GET',
        url,
        signal,
        maxBytes: FILE_BYTES,
      });
      if (status === 200) return { name: fileName ?? nameByUrl(address), content: body };
      body.destroy();
      const next = status >= 300 && status < 400 && headers.location ? URL.parse(headers.location, url) : null;
      if (!next) throw badRequest(`The media cannot be fetched: its server answered ${status}`);
      url = next.href;
    }
  } catch (error) {
    throw explainFetch(error);
  }
  throw badRequest(`The media cannot be fetched: there are more than ${REDIRECTS} redirects`);
}

function nameByUrl(address: string): string {
  const last =
    URL.parse(address)
      ?.pathname.split('/')
      .findLast((part) => part !== '') ?? '';
  try {
    return decodeURIComponent(last) || 'file';
  } catch {
    // Failure policy: a name that is not encoded properly is used as it is written.
    return last;
  }
}

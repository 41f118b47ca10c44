import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { Account } from './accounts.ts';
import { answer, getOwnProperty, type Answer } from './exchange.ts';
import { makeErrorAnswer, makeUnknownObjectFailure } from './graph-errors.ts';

type StoredMedia = {
  id: string;
  bytes: Buffer;
  mimeType: string;
  fileName: string | null;
  phoneNumberId: string | null;
  sha256: Buffer;
  /** The key in the current download address; it expires at `keyExpiresAt` (epoch milliseconds). */
  key: string;
  keyExpiresAt: number;
};

export type MediaStore = { byId: Map<string, StoredMedia>; totalBytes: number };

/** The network's limit for documents. The limits for all other files are smaller. */
export const MEDIA_MAX_BYTES = 100 * 1_048_576;
// When the files take more than this, the oldest ones are removed. The rest is enough for any test and fits into a laptop's memory.
const STORE_MAX_BYTES = 512 * 1_048_576;
const URL_LIFE_MS = 5 * 60_000;

// File types that the network accepts, with their size limits. A document may have any other type.
const MAX_BYTES: Record<string, number> = {
  'image/jpeg': 5 * 1_048_576,
  'image/png': 5 * 1_048_576,
  'image/webp': 500 * 1_024,
  'audio/aac': 16 * 1_048_576,
  'audio/amr': 16 * 1_048_576,
  'audio/mpeg': 16 * 1_048_576,
  'audio/mp4': 16 * 1_048_576,
  'audio/ogg': 16 * 1_048_576,
  'video/mp4': 16 * 1_048_576,
  'video/3gpp': 16 * 1_048_576,
};

// Names that some browsers give to types of the list above.
const OTHER_NAMES: Record<string, string> = { 'audio/x-m4a': 'audio/mp4', 'audio/vnd.dlna.adts': 'audio/aac' };

/** Returns a media type without its parameters, by the name that the network uses. */
function normalizeType(mimeType: string): string {
  const bare = mimeType.replace(/;.*$/, '').trim().toLowerCase();
  return getOwnProperty(OTHER_NAMES, bare) ?? bare;
}

const isRefusedType = (bare: string): boolean =>
  /^(image|audio|video)\//.test(bare) && getOwnProperty(MAX_BYTES, bare) === undefined;

type PhoneFile = { messageType: string; mimeType: string };

/** Returns how a phone sends a file of this type and size, or a sentence when the network would refuse the file. */
export function choosePhoneFile(givenType: string, bytes: number): PhoneFile | string {
  const mimeType = normalizeType(givenType) || 'application/octet-stream';
  if (isRefusedType(mimeType)) {
    return `The network does not take ${mimeType}. It takes ${Object.keys(MAX_BYTES).join(', ')}, and documents.`;
  }
  if (bytes === 0) return 'The file is empty.';
  const maxBytes = getOwnProperty(MAX_BYTES, mimeType) ?? MEDIA_MAX_BYTES;
  if (bytes > maxBytes) return `The network takes at most ${maxBytes / 1_024} kB of ${mimeType}.`;
  if (mimeType === 'image/webp') return { messageType: 'sticker', mimeType };
  if (mimeType === 'audio/ogg') return { messageType: 'audio', mimeType: 'audio/ogg; codecs=opus' };
  const [, kind = 'document'] = /^(image|audio|video)\//.exec(mimeType) ?? [];
  return { messageType: kind, mimeType };
}

export const createMediaStore = (): MediaStore => ({ byId: new Map(), totalBytes: 0 });

export const findMedia = (store: MediaStore, id: string): StoredMedia | undefined => store.byId.get(id);

type NewMedia = { bytes: Buffer; mimeType: string; phoneNumberId: string | null; fileName?: string };

export function addMedia(store: MediaStore, { bytes, mimeType, phoneNumberId, fileName }: NewMedia): StoredMedia {
  // Ids are larger than 2^53, as on the network, so that a client fails here too when it reads them as numbers.
  const id = `1${randomInt(1e8, 1e9)}${randomInt(1e7, 1e8)}`;
  const sha256 = createHash('sha256').update(bytes).digest();
  const media = { id, bytes, mimeType, fileName: fileName ?? null, phoneNumberId, sha256, key: '', keyExpiresAt: 0 };
  store.byId.set(id, media);
  store.totalBytes += bytes.length;
  for (const oldest of store.byId.values()) {
    if (store.totalBytes <= STORE_MAX_BYTES || oldest === media) break;
    removeMedia(store, oldest.id);
  }
  return media;
}

function removeMedia(store: MediaStore, id: string): void {
  store.totalBytes -= store.byId.get(id)?.bytes.length ?? 0;
  store.byId.delete(id);
}

/** Answers `POST /{phone}/media`, a multipart form with `messaging_product`, `type` and `file`, with `{id}`. */
export async function uploadMedia(
  store: MediaStore,
  account: Account,
  contentType: string,
  bytes: Buffer | null,
): Promise<Answer> {
  if (bytes === null) return makeErrorAnswer({ code: 131053, details: 'The file is larger than 100 MB.' });
  const form = await parseForm(contentType, bytes);
  if (form?.get('messaging_product') !== 'whatsapp') {
    return makeErrorAnswer({ code: 100, message: '(#100) The parameter messaging_product is required.' });
  }
  const file = form.get('file');
  if (!(file instanceof File)) return makeErrorAnswer({ code: 100, message: '(#100) The parameter file is required.' });
  const declared = form.get('type');
  const mimeType =
    (typeof declared === 'string' && declared !== '' ? declared : file.type) || 'application/octet-stream';
  const bare = normalizeType(mimeType);
  if (isRefusedType(bare)) {
    const known = Object.keys(MAX_BYTES).join(', ');
    return makeErrorAnswer({
      code: 100,
      message: `(#100) Param file must be a file with one of the following types: ${known}. Received file of type '${bare}'.`,
    });
  }
  if (file.size > (getOwnProperty(MAX_BYTES, bare) ?? MEDIA_MAX_BYTES)) {
    return makeErrorAnswer({ code: 131053, details: `The file is larger than the network accepts for ${bare}.` });
  }
  const content = Buffer.from(await file.arrayBuffer());
  const phoneNumberId = account.phone_number_id;
  return answer({ id: addMedia(store, { bytes: content, mimeType, phoneNumberId, fileName: file.name }).id });
}

async function parseForm(contentType: string, bytes: Buffer): Promise<FormData | undefined> {
  try {
    return await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
  } catch {
    // Failure policy: a body that is not a multipart form has none of its fields, so the caller reports the first field as missing.
    return undefined;
  }
}

/** Answers `GET /{media}` with an address from which the file can be downloaded for five minutes. */
export function describeMedia(store: MediaStore, media: StoredMedia, sandboxUrl: string): Answer {
  if (store.byId.get(media.id) !== media) return makeErrorAnswer(makeUnknownObjectFailure('get', media.id));
  // An address stays valid for its time, so that several downloads of one file do not disturb each other.
  if (Date.now() >= media.keyExpiresAt) {
    media.key = randomBytes(12).toString('base64url');
    media.keyExpiresAt = Date.now() + URL_LIFE_MS;
  }
  return answer({
    messaging_product: 'whatsapp',
    url: `${sandboxUrl}/whatsapp_business/attachments/?mid=${media.id}&ext=${Math.floor(media.keyExpiresAt / 1_000)}&hash=${media.key}`,
    mime_type: media.mimeType,
    sha256: media.sha256.toString('hex'),
    file_size: media.bytes.length,
    id: media.id,
  });
}

/** Returns the media object of a notification. It has the checksum in base64, whereas `GET /{media}` has it in hex. */
export const describeMediaFile = (media: StoredMedia): Record<string, unknown> => ({
  id: media.id,
  mime_type: media.mimeType,
  sha256: media.sha256.toString('base64'),
  ...(media.fileName === null ? {} : { filename: media.fileName }),
});

/** Answers `DELETE /{media}`. */
export function deleteMedia(store: MediaStore, media: StoredMedia): Answer {
  removeMedia(store, media.id);
  return answer({ success: true });
}

/** Answers a call to the address that `describeMedia` returned: with the bytes, or 404 once the address has expired. */
export function downloadMedia(store: MediaStore, query: URLSearchParams): Answer {
  const media = store.byId.get(query.get('mid') ?? '');
  const isValid = media !== undefined && media.key === query.get('hash') && Date.now() < media.keyExpiresAt;
  if (!isValid) return { status: 404, body: Buffer.alloc(0), headers: { 'content-type': 'text/plain' } };
  return answerMediaBytes(media);
}

/** Answers with the file in a form that is safe in a browser: never as HTML or a script. */
export function answerMediaBytes(media: StoredMedia): Answer {
  const isShown = /^(image\/(png|jpeg|webp|gif)|audio\/|video\/)/.test(media.mimeType);
  return {
    status: 200,
    body: media.bytes,
    headers: {
      'content-type': media.mimeType,
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
      'content-disposition': isShown ? 'inline' : 'attachment',
    },
  };
}

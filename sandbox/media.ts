import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { Account } from './accounts.ts';
import { answer, own, type Answer } from './exchange.ts';
import { errorAnswer, unknownObject } from './graph-errors.ts';

type Media = {
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

export type MediaStore = { byId: Map<string, Media>; totalBytes: number };

/** The network's limit for documents, which may be larger than all other files. */
export const MEDIA_MAX_BYTES = 100 * 1_048_576;
// Beyond this the oldest files are dropped: the rest is enough for any test and fits into a laptop's memory.
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

export const createMediaStore = (): MediaStore => ({ byId: new Map(), totalBytes: 0 });

export const findMedia = (store: MediaStore, id: string): Media | undefined => store.byId.get(id);

type NewMedia = { bytes: Buffer; mimeType: string; phoneNumberId: string | null; fileName?: string };

export function addMedia(store: MediaStore, { bytes, mimeType, phoneNumberId, fileName }: NewMedia): Media {
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

/** `POST /{phone}/media`, multipart with `messaging_product`, `type` and `file` → `{id}`. */
export async function uploadMedia(
  store: MediaStore,
  account: Account,
  contentType: string,
  bytes: Buffer | null,
): Promise<Answer> {
  if (bytes === null) return errorAnswer({ code: 131053, details: 'The file is larger than 100 MB.' });
  const form = await parseForm(contentType, bytes);
  if (form?.get('messaging_product') !== 'whatsapp') {
    return errorAnswer({ code: 100, message: '(#100) The parameter messaging_product is required.' });
  }
  const file = form.get('file');
  if (!(file instanceof File)) return errorAnswer({ code: 100, message: '(#100) The parameter file is required.' });
  const declared = form.get('type');
  const mimeType =
    (typeof declared === 'string' && declared !== '' ? declared : file.type) || 'application/octet-stream';
  const bare = mimeType.replace(/;.*$/, '').trim();
  const isRefusedKind = /^(image|audio|video)\//.test(bare) && own(MAX_BYTES, bare) === undefined;
  if (isRefusedKind) {
    const known = Object.keys(MAX_BYTES).join(', ');
    return errorAnswer({
      code: 100,
      message: `(#100) Param file must be a file with one of the following types: ${known}. Received file of type '${bare}'.`,
    });
  }
  if (file.size > (own(MAX_BYTES, bare) ?? MEDIA_MAX_BYTES)) {
    return errorAnswer({ code: 131053, details: `The file is larger than the network accepts for ${bare}.` });
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

/** `GET /{media}` → an address from which the file can be downloaded for five minutes. */
export function describeMedia(store: MediaStore, media: Media, sandboxUrl: string): Answer {
  if (store.byId.get(media.id) !== media) return errorAnswer(unknownObject('get', media.id));
  media.key = randomBytes(12).toString('base64url');
  media.keyExpiresAt = Date.now() + URL_LIFE_MS;
  return answer({
    messaging_product: 'whatsapp',
    url: `${sandboxUrl}/whatsapp_business/attachments/?mid=${media.id}&ext=${Math.floor(media.keyExpiresAt / 1_000)}&hash=${media.key}`,
    mime_type: media.mimeType,
    sha256: media.sha256.toString('hex'),
    file_size: media.bytes.length,
    id: media.id,
  });
}

/** The media object of a notification, whose checksum is in base64; `GET /{media}` has it in hex. */
export const mediaFacts = (media: Media): Record<string, unknown> => ({
  id: media.id,
  mime_type: media.mimeType,
  sha256: media.sha256.toString('base64'),
  ...(media.fileName === null ? {} : { filename: media.fileName }),
});

/** Answers `DELETE /{media}`. */
export function deleteMedia(store: MediaStore, media: Media): Answer {
  removeMedia(store, media.id);
  return answer({ success: true });
}

/** The download address that `describeMedia` returned: answers the bytes, or 404 once it has expired. */
export function downloadMedia(store: MediaStore, query: URLSearchParams): Answer {
  const media = store.byId.get(query.get('mid') ?? '');
  const isValid = media !== undefined && media.key === query.get('hash') && Date.now() < media.keyExpiresAt;
  if (!isValid) return { status: 404, body: Buffer.alloc(0), headers: { 'content-type': 'text/plain' } };
  return mediaBytes(media);
}

/** The file in a form that is safe in a browser: never as HTML or a script. */
export function mediaBytes(media: Media): Answer {
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

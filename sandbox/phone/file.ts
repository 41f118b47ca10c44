import { toObject, toText, type Json } from '../exchange.ts';
import { addMedia, choosePhoneFile, MEDIA_MAX_BYTES } from '../media.ts';
import { drawPlaceholder } from '../placeholder-image.ts';
import type { Sandbox } from '../state.ts';

/** A file that somebody sends from the page. */
export type PhoneFile = { kind: string; mimetype: string; file_name: string; bytes: Buffer };

/**
 * Reads the file of a note: its `media`, or a picture of the sandbox's own for the type `image` without one. Null when the note has no file,
 * and an error sentence when the network would refuse it. `isPhone`: the network sorts files into kinds as WhatsApp does.
 */
export function readPhoneFile(
  note: Json,
  { seed, isPhone }: { seed: number; isPhone: boolean },
): PhoneFile | string | null {
  const { base64, mime_type, file_name } = toObject(note['media']);
  const given = toText(base64);
  if (given === undefined && note['type'] !== 'image') return null;
  const bytes = given === undefined ? drawPlaceholder(seed) : Buffer.from(given, 'base64');
  const mimetype = (given === undefined ? 'image/png' : toText(mime_type)) || 'application/octet-stream';
  const name = toText(file_name) ?? 'picture.png';
  if (isPhone) {
    const chosen = choosePhoneFile(mimetype, bytes.length);
    if (typeof chosen === 'string') return chosen;
    return { kind: chosen.messageType, mimetype: chosen.mimeType, file_name: name, bytes };
  }
  if (bytes.length === 0) return 'The file is empty.';
  if (bytes.length > MEDIA_MAX_BYTES) return 'The file is larger than the network takes.';
  return { kind: sortFile(mimetype), mimetype, file_name: name, bytes };
}

/** The kind of a message with this file on the page. */
export const sortFile = (mimetype: string): string => /^(image|audio|video)\//.exec(mimetype)?.[1] ?? 'document';

/** Puts a file where the page can load it. Returns its id. */
export const storeForPage = (
  { graph }: Sandbox,
  { bytes, mimetype, file_name }: { bytes: Buffer; mimetype: string; file_name?: string },
): string =>
  addMedia(graph.media, {
    bytes,
    mimeType: mimetype,
    phoneNumberId: null,
    ...(file_name !== undefined && { fileName: file_name }),
  }).id;

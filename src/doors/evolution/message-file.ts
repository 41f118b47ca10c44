/** The file of a message, as base64. */
import { declareLimit } from '../../platform/values/limits.ts';
import { readObject, readText } from '../lenient.ts';
import type { JsonObject } from '../json.ts';
import { badRequest } from './errors.ts';
import { findMessage, lookUpBy } from './messages.ts';
import type { EvolutionCaller } from './route.ts';
import { describeContent } from './message-content.ts';

const FILE_BYTES = declareLimit(16 * 1024 * 1024, {
  topic: 'Evolution',
  what: 'File as base64',
  unit: 'bytes',
  beyond: '400',
});

/** Clients send the message itself as they got it, or only its key. */
export async function readFileMessage(
  caller: EvolutionCaller,
  body: JsonObject,
  inbox: JsonObject,
): Promise<JsonObject> {
  const given = readObject(body, 'message');
  const id = readText(readObject(given, 'key'), 'id') ?? readText(given, 'id');
  const message = id === null ? null : await findMessage(caller, inbox, id);
  if (!message) throw badRequest('Message not found');
  if (!message.attachment || !message.media) throw badRequest('The message is not of the media type');
  const attachment = await caller.call('GET', `/v1/resource/attachments/${message.attachment}`);
  const { messageType } = await describeContent(message, '', lookUpBy(caller));
  return {
    mediaType: messageType,
    fileName: attachment.file_name ?? message.media.fileName,
    caption: message.content ?? '',
    size: { fileLength: String(message.media.size ?? ''), height: null, width: null },
    mimetype: message.media.mimeType,
    base64: (await readFile(caller, message)).toString('base64'),
    buffer: null,
  };
}

async function readFile({ kit }: EvolutionCaller, { media }: JsonObject): Promise<Buffer> {
  const file = media.storage_key ? await kit.files.get(media.storage_key as string) : null;
  if (!file) throw badRequest(String(media.error ?? 'The file of the message is not available'));
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of file.body as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > FILE_BYTES) throw badRequest(`The file is larger than ${FILE_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

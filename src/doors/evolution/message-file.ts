/** The file of a message, as base64. */
import type { Readable } from 'node:stream';
import { FILE_HERE, streamJson } from '../../platform/outside/json-with-file.ts';
import type { FileContent } from '../../platform/store/files/store.ts';
import { readObject, readText } from '../lenient.ts';
import type { JsonObject } from '../json.ts';
import { badRequest } from './errors.ts';
import { findMessage, lookUpBy } from './messages.ts';
import type { Asked, EvolutionCaller } from './route.ts';
import { describeContent } from './message-content.ts';

/** Clients send the message itself as they got it, or only its key. */
export async function readFileMessage(
  caller: EvolutionCaller,
  { body, admitFile }: Asked,
  inbox: JsonObject,
): Promise<Readable> {
  const given = readObject(body, 'message');
  const id = readText(readObject(given, 'key'), 'id') ?? readText(given, 'id');
  const message = id === null ? null : await findMessage(caller, inbox, id);
  if (!message) throw badRequest('Message not found');
  if (!message.attachment || !message.media) throw badRequest('The message is not of the media type');
  const attachment = await caller.call('GET', `/v1/resource/attachments/${message.attachment}`);
  const { messageType } = await describeContent(message, '', lookUpBy(caller));
  const answer = {
    mediaType: messageType,
    fileName: attachment.file_name ?? message.media.fileName,
    caption: message.content ?? '',
    size: { fileLength: String(message.media.size ?? ''), height: null, width: null },
    mimetype: message.media.mimeType,
    base64: FILE_HERE,
    buffer: null,
  };
  await admitFile();
  const { bytes, body: file } = await openFile(caller, message);
  const { stream } = streamJson(answer, { bytes, open: () => file });
  // The client may hang up before the first byte is read.
  return stream.on('close', () => file.destroy());
}

async function openFile({ kit, companyId }: EvolutionCaller, { media }: JsonObject): Promise<FileContent> {
  const file = media.storage_key ? await kit.files.get(media.storage_key as string) : null;
  if (!file) throw badRequest(String(media.error ?? 'The file of the message is not available'));
  return { ...file, body: kit.downloads.inPace(companyId, file.body) };
}

/** The steps that record the examples of attachments, and of messages that send them. */
import { uploadFile } from '../test/support/attachments.ts';
import { makeJpg, makeMp3, makeMp4, makeWebp } from '../test/support/media-samples.ts';
import type { Platform } from '../test/support/platform.ts';
import type { Take } from './example-steps.ts';

export async function recordAttachments(take: Take, platform: Platform): Promise<void> {
  const { _id } = await take('POST /v1/resource/upload-attachment', '', {
    form: { fileType: 'DOCUMENT', file: 'Carrot cake: 79.90\nBread: 12.50\n' },
    fileName: 'prices.txt',
  });
  await take('GET /v1/resource/attachments/{id}/url', _id);
  await take('DELETE /v1/resource/attachments/{id}', _id);
  await recordSends(take, platform);
}

async function recordSends(take: Take, platform: Platform): Promise<void> {
  const { body } = await platform.call(200, 'GET', '/v1/conversations?search=Maria');
  const conversationId = body.result[0]._id;
  const files: [operation: string, data: Buffer | string, fileType: string, name: string, content?: string][] = [
    ['image', makeJpg(), 'IMAGE', 'carrot-cake.jpg', 'This is the carrot cake'],
    ['audio', makeMp3(), 'AUDIO', 'greeting.mp3'],
    ['video', await makeMp4(), 'VIDEO', 'bakery.mp4', 'Our bakery in one minute'],
    ['document', 'Carrot cake: 79.90\n', 'DOCUMENT', 'menu.txt', 'The menu of this week'],
    ['sticker', makeWebp(), 'STICKER', 'thanks.webp'],
  ];
  for (const [operation, data, fileType, name, content] of files) {
    const { _id: attachment } = await uploadFile(platform, { data, fileType, name });
    const message = { attachment, ...(content === undefined ? {} : { content }) };
    await take(`POST /v1/messages/send-${operation}`, '', { body: { conversationId, message } });
  }
}

/** Files that visitors send. They are accepted by the rules of the uploads of operators. */
import type { ReceivedFile } from '../../channels/content.ts';
import type { Kit } from '../../kit.ts';
import { invalid } from '../../platform/values/errors.ts';
import type { Upload } from '../../platform/http/multipart.ts';
import { actAs } from '../../platform/store/tenant.ts';
import { removeAttachment } from '../attachments/attachments.ts';
import type { Attachment } from '../attachments/schemas.ts';
import { UPLOAD_LIMITS, uploadAttachment } from '../attachments/upload.ts';
import type { Intake } from '../inbound/intake.ts';
import type { Visit } from './chat.ts';
import { takeAnswers } from './questions.ts';
import type { SendFile } from './schemas.ts';
import { makeInbound, repeatWritten, storeWritten, type Written } from './write.ts';

/** The same as for the people of the company. */
export const MOST_FILE = { maxBytes: UPLOAD_LIMITS.maxBytes };

interface SentFile {
  upload: Upload | null;
  body: Omit<SendFile, 'file'>;
  signal: AbortSignal;
}

/** Stores the file and its message. A file whose message is not stored is removed again. */
export async function sendFile(
  kit: Kit,
  intake: Intake,
  visit: Visit,
  { upload, body, signal }: SentFile,
): Promise<Written> {
  if (!upload) throw invalid('file', 'is required', 'REQUIRED');
  const repeated = await repeatWritten(kit, visit, body);
  if (repeated) return repeated;
  const answers = await takeAnswers(kit, visit, body.answers);
  const acting = actAs(kit.database, visit.site.company, { type: 'system', id: null, name: 'Web chat' });
  const attachment = await uploadAttachment(kit, acting, { upload, body: {}, signal });
  try {
    const written = await storeWritten(kit, intake, visit, {
      clientId: body.client_id,
      message: makeFileMessage(visit, attachment, body),
      answers,
    });
    // The same message was sent twice at once, and the other one was stored.
    if (written.attachment !== attachment._id) await removeAttachment(kit, acting, attachment._id);
    return written;
  } catch (error) {
    // Failure policy: the caller receives the reason, and when the file cannot be removed now, it only takes space.
    await removeAttachment(kit, acting, attachment._id).catch((fault: unknown) =>
      kit.log.warn(
        { err: fault, attachment: attachment._id },
        'web chat: a file without a message could not be removed',
      ),
    );
    throw error;
  }
}

function makeFileMessage(visit: Visit, attachment: Attachment, { client_id, content }: SentFile['body']) {
  const { _id, storage_key, external_url: url, meta, file_type } = attachment;
  const media: ReceivedFile = {
    mimeType: meta.mimeType,
    fileName: meta.fileName,
    size: meta.size ?? null,
    networkId: null,
    sha256: meta.sha256 ?? null,
  };
  const caption = content === undefined || content.trim() === '' ? null : content;
  return makeInbound(visit, client_id, {
    content: { contentType: file_type, content: caption, media },
    attachment: { _id, storage_key, url },
  });
}

/** Uploads files to the network before their messages are sent, and keeps the ids that the network gives them. */
import type { NetworkError, SendResult, UploadResult } from '../../channels/channel.ts';
import type { Kit } from '../../kit.ts';
import { createSingleFlight } from '../../platform/work/single-flight.ts';
import { findNetworkFile, storeNetworkFile, type NetworkPlace } from './file-queries.ts';
import { AttachmentGone } from './files.ts';
import { declareLimit } from '../../platform/values/limits.ts';

/** The time limit of all uploads of one message. With a conversion before and the calls that send it, it stays below the 60 s of a request. */
export const UPLOAD_MS = declareLimit(35_000, {
  topic: 'Messages',
  what: "Network upload of a message's files",
  unit: 'ms',
  beyond: 'FAILED',
});

/** A file that has to be uploaded before a message can name it. */
export interface FileUpload {
  company: string;
  place: NetworkPlace;
  upload(signal: AbortSignal): Promise<UploadResult>;
}

/** The call for a message with files that have to be uploaded. */
export interface FilesCall {
  uploads: FileUpload[];
  /** Where many messages have the same files, they share this, so that they all upload each again at most once. */
  renewals: Renewals;
  /** Sends the message. `ids` are those that the network has given to the files, by their attachments. */
  send(ids: ReadonlyMap<string, string>): Promise<SendResult>;
}

/** The uploads that were made because the network had forgotten the files, by their attachments. */
export type Renewals = Map<string, Promise<UploadResult>>;

/**
 * Sends a message whose files the network has, or gets before. When the network refuses the message because it has forgotten a file, those that
 * it had before are uploaded again and the message is sent again; a refusal is certain, so no one gets it twice.
 */
export async function sendWithFiles(kit: Kit, { uploads, renewals, send }: FilesCall): Promise<SendResult> {
  const signal = AbortSignal.timeout(UPLOAD_MS);
  const ids = new Map<string, string>();
  const known: FileUpload[] = [];
  for (const upload of uploads) {
    const found = await findOrUpload(kit, upload, signal);
    if (found.outcome === 'known') known.push(upload);
    const failed = noteUpload(ids, upload, found);
    if (failed) return failed;
  }
  const result = await send(ids);
  if (result.outcome !== 'rejected' || !result.fileForgotten || known.length === 0) return result;
  const before = new Map(ids);
  for (const upload of known) {
    const { attachment } = upload.place;
    const renewal = renewals.get(attachment) ?? uploadAnew(kit, upload, signal);
    renewals.set(attachment, renewal);
    const failed = noteUpload(ids, upload, await renewal);
    if (failed) return failed;
  }
  // The network has refused the new files as well, so it does not miss a file.
  return known.every(({ place: { attachment } }) => ids.get(attachment) === before.get(attachment))
    ? result
    : send(ids);
}

/** Notes the id of an uploaded file. A failed upload is a refusal of the message: nothing was sent. */
function noteUpload(
  ids: Map<string, string>,
  { place }: FileUpload,
  uploaded: UploadResult | KnownFile,
): SendResult | null {
  if (uploaded.outcome === 'failed') return { ...uploaded, outcome: 'rejected' };
  ids.set(place.attachment, uploaded.networkId);
  return null;
}

/** Uploads a file before the first of many messages, unless the network has it. Returns why it could not be uploaded. */
export async function uploadAhead(kit: Kit, call: FileUpload): Promise<NetworkError | null> {
  const uploaded = await findOrUpload(kit, call, AbortSignal.timeout(UPLOAD_MS));
  return uploaded.outcome === 'failed' ? uploaded.error : null;
}

/** Failure policy: without an answer of the database the file is uploaded again. */
async function findKnownId(kit: Kit, { company, place }: FileUpload): Promise<string | null> {
  try {
    return (await findNetworkFile(kit.database.read(company), place))?.network_id ?? null;
  } catch (error) {
    kit.log.warn({ err: error, attachment: place.attachment }, 'send: the id of an uploaded file could not be read');
    return null;
  }
}

/** A file that the network has since an earlier message. */
interface KnownFile {
  outcome: 'known';
  networkId: string;
}

/** What is being looked up or uploaded in this process. */
const shareSearch = createSingleFlight<UploadResult | KnownFile>();
const shareUpload = createSingleFlight<UploadResult>();

const nameFlight = ({ company, place: { attachment, channel, address } }: FileUpload): string =>
  [company, attachment, channel, address].join(' ');

/**
 * Returns the id of a file that the network has, or uploads the file. Messages that need the same file at the same moment share the look and
 * the upload: one that had looked by itself would upload the file again if the upload of another ended before its own look did.
 */
function findOrUpload(kit: Kit, call: FileUpload, signal: AbortSignal): Promise<UploadResult | KnownFile> {
  return shareSearch(nameFlight(call), async () => {
    const networkId = await findKnownId(kit, call);
    return networkId === null ? uploadFile(kit, call, signal) : { outcome: 'known', networkId };
  });
}

/** Uploads a file that the network has forgotten. Messages that find so at the same moment share one upload. */
const uploadAnew = (kit: Kit, call: FileUpload, signal: AbortSignal): Promise<UploadResult> =>
  shareUpload(nameFlight(call), () => uploadFile(kit, call, signal));

async function uploadFile(
  kit: Kit,
  { company, place, upload }: FileUpload,
  signal: AbortSignal,
): Promise<UploadResult> {
  try {
    const result = await upload(signal);
    if (result.outcome === 'uploaded') await keepId(kit, company, place, result);
    return result;
  } catch (error) {
    // Failure policy: the file could not be read, for example because its store does not answer. The message fails, as nothing was sent.
    kit.log.error({ err: error, attachment: place.attachment }, 'send: a file could not be uploaded');
    const cause =
      error instanceof AttachmentGone
        ? { code: 'UNKNOWN_REFERENCE', message: error.message }
        : { code: 'PROVIDER_UNREACHABLE', message: 'The file could not be read' };
    return { outcome: 'failed', error: { ...cause, title: 'Not uploaded', details: '' }, network: false };
  }
}

/** Failure policy: an id that could not be stored is used for the messages at hand, and the next message uploads the file again. */
async function keepId(
  kit: Kit,
  company: string,
  place: NetworkPlace,
  file: { networkId: string; expiresAt: Date },
): Promise<void> {
  try {
    await kit.database.tenantTx(company, (tx) => storeNetworkFile(tx, place, file));
  } catch (error) {
    kit.log.warn({ err: error, attachment: place.attachment }, 'send: the id of an uploaded file could not be stored');
  }
}

/** The one call to the network that sends a stored message. */
import type { Channel, NetworkError, OutboundMessage, SendResult } from '../../channels/channel.ts';
import type { OutboundFile } from '../../channels/media.ts';
import { CALL_MS } from '../../channels/limits.ts';
import type { Kit } from '../../kit.ts';
import type { Credentials } from '../inboxes/connection.ts';
import type { DayPlace } from './day-limit.ts';
import { sendWithFiles, UPLOAD_MS, uploadAhead, type FileUpload, type Renewals } from './file-upload.ts';
import type { Message, PlatformCause } from './schemas.ts';

/** The arguments of the call. They are collected before the message is stored, so that afterwards only the call can fail. */
export interface NetworkCall {
  channel: Channel;
  /** The message as the network gets it. */
  outbound: OutboundMessage;
  company: string;
  /** The attachment whose file is sent; absent for a message without a file. */
  attachment?: string;
  /** What all messages with the same files share; absent for a single message. */
  renewals?: Renewals;
  credentials: Credentials | null;
}

export interface Call extends NetworkCall {
  /** The message as it is stored. */
  stored: Message;
  /** The place in the daily limit that was reserved for the message. */
  place: DayPlace | null;
}

/** Never throws. */
export async function callNetwork(kit: Kit, call: NetworkCall): Promise<SendResult> {
  const result = await callOnce(kit, call);
  kit.metrics.sends.inc({ channel: call.channel.name, outcome: result.outcome });
  return result;
}

/** Where a network takes no uploads, as with mails, a file travels with its message, which then has the time of an upload as well. */
export const findTimeLimit = (
  { uploadFile }: Pick<Channel, 'uploadFile'>,
  { file }: Pick<OutboundMessage, 'file'>,
): number => CALL_MS + (file && !uploadFile ? UPLOAD_MS : 0);

async function callOnce(kit: Kit, call: NetworkCall): Promise<SendResult> {
  const { channel, outbound, credentials } = call;
  if (!channel.send || !credentials) return rejected('PROVIDER_REJECTED', 'The inbox has no settings to send with');
  const { send } = channel;
  const { settings } = credentials;
  const sendOnce = async (message: OutboundMessage): Promise<SendResult> => {
    try {
      return await send(message, settings, AbortSignal.timeout(findTimeLimit(channel, message)));
    } catch (error) {
      // Failure policy: a channel that throws may already have called the network, so the outcome is unknown and nothing is sent again.
      kit.log.error({ err: error, message_id: outbound.messageId }, 'send: the channel failed');
      return { outcome: 'unknown' };
    }
  };
  const uploads = listUploads({ ...call, ...outbound });
  if (uploads.length === 0) return sendOnce(outbound);
  const renewals = call.renewals ?? new Map();
  return sendWithFiles(kit, { uploads, renewals, send: (ids) => sendOnce(nameFiles(call, ids)) });
}

/** The message with the ids that the network has given to its files, by their attachments. */
function nameFiles({ outbound, attachment }: NetworkCall, ids: ReadonlyMap<string, string>): OutboundMessage {
  const name = (file: OutboundFile, id = ''): OutboundFile => ({ ...file, networkId: ids.get(id) ?? null });
  const { file, cards } = outbound;
  return {
    ...outbound,
    file: file && name(file, attachment),
    ...(cards && { cards: new Map(cards.entries().map(([id, each]) => [id, name(each, id)])) }),
  };
}

/** The files that many messages will have. */
export type SharedFiles = Pick<NetworkCall, 'channel' | 'company' | 'attachment' | 'credentials'> &
  Pick<OutboundMessage, 'file' | 'cards'>;

/** Gives the network files before the first of many messages that have them. Returns why the network does not get one. Never throws. */
export async function uploadShared(kit: Kit, shared: SharedFiles): Promise<NetworkError | null> {
  for (const upload of listUploads(shared)) {
    const failed = await uploadAhead(kit, upload);
    if (failed) return failed;
  }
  return null;
}

/** Returns no upload on a channel whose network fetches files by itself. */
function listUploads({ channel, company, attachment, credentials, file, cards }: SharedFiles): FileUpload[] {
  const { uploadFile } = channel;
  if (!uploadFile || !credentials) return [];
  const { settings } = credentials;
  const address = channel.settings?.address?.(settings) ?? credentials.inbox;
  const files: [string, OutboundFile][] = [...(cards ?? [])];
  if (file && attachment !== undefined) files.push([attachment, file]);
  return files.map(([id, each]) => ({
    company,
    place: { attachment: id, channel: channel.name, address },
    upload: (signal) => uploadFile(each, settings, signal),
  }));
}

const rejected = (code: PlatformCause, message: string): SendResult => ({
  outcome: 'rejected',
  error: { code, title: 'Not sent', message, details: '' },
  network: false,
});

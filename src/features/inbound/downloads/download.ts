/**
 * Downloads one file that a contact has sent: fetches it from the network, compares it with what was announced, and stores it. The thumbnail of a
 * picture is made afterwards, in another turn.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FetchResult, WantedFile } from '../../../channels/content.ts';
import type { Kit } from '../../../kit.ts';
import { MAX_BYTES } from '../../../platform/work/media/formats.ts';
import { OutboundError } from '../../../platform/outside/outbound-error.ts';
import { actAs } from '../../../platform/store/tenant.ts';
import { TooManyBytes } from '../../../platform/store/temporary-file.ts';
import { storeFile } from '../../attachments/store-file.ts';
import { isThumbnailDue, makeThumbnail } from '../../attachments/thumbnails.ts';
import { networkCredentials } from '../../inboxes/connection.ts';
import { openPushedFile } from '../pushed/open-file.ts';
import { readFileName } from '../pushed/reference.ts';
import { takeOut } from '../take-out.ts';
import { exceedsQuota, type Claimed, type Outcome } from './queries.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

type Found = Extract<FetchResult, { outcome: 'found' }>;

/** broken: the network failed · postponed: the platform itself failed · the others are those of an outcome */
type Result =
  | { state: 'READY' | 'THUMBNAIL' | 'DONE' }
  | { state: 'FAILED'; failure: string; network?: true }
  | { state: 'broken'; failure: string; network: boolean }
  | { state: 'postponed' };

const ACTOR = { type: 'system', id: null, name: 'downloads' } as const;
/** The pauses before the next tries of a file. The network's faults pass within minutes; after the last pause one more try follows. */
const RESTS_SECONDS = [10, 120, 900];
/** The pause after a failure of the platform's own, for example of its store of files. */
const POSTPONED_SECONDS = 60;
/** The network forgets the ids of files after seven days. */
const MOST_HOURS = declareLimit(7 * 24, {
  topic: 'Files',
  what: "Time to store a contact's file while the storage fails",
  unit: 'hours',
  beyond: 'the file becomes FAILED',
});

/** A pack may have more bytes than each of its files may. */
const MOST_PACKED = Math.max(...Object.values(MAX_BYTES));

const failed = (failure: string): Result => ({ state: 'FAILED', failure });

/** Never throws. `signal` ends the download; after `stopping` the file waits for another worker. */
export async function downloadFile(
  kit: Kit,
  file: Claimed,
  { signal, stopping }: { signal: AbortSignal; stopping: AbortSignal },
): Promise<Outcome> {
  let result: Result;
  try {
    result = file.stage === 'FILE' ? await fetchAndStore(kit, file, signal) : await addThumbnail(kit, file, signal);
  } catch (error) {
    // Failure policy: the platform itself failed, so the file is tried again later, as long as the network keeps it.
    kit.log.warn({ err: error, attachment: file._id }, 'downloads: a file could not be stored');
    result = { state: 'postponed' };
  }
  if (stopping.aborted && !['READY', 'THUMBNAIL', 'DONE'].includes(result.state))
    return describeOutcome(file, { state: 'WAITING' });
  return toOutcome(file, result);
}

function toOutcome(file: Claimed, result: Result): Outcome {
  switch (result.state) {
    case 'READY':
    case 'THUMBNAIL':
    case 'DONE':
      return describeOutcome(file, { state: result.state });
    case 'FAILED':
      return describeOutcome(file, {
        state: 'FAILED',
        failure: result.failure,
        network_failed: result.network ?? false,
      });
    case 'broken': {
      const rest = RESTS_SECONDS[file.failures];
      if (rest === undefined)
        return describeOutcome(file, { state: 'FAILED', failure: result.failure, network_failed: result.network });
      return describeOutcome(file, { state: 'RESTING', rest, is_try: true, network_failed: result.network });
    }
    case 'postponed':
      if (file.age_hours > MOST_HOURS)
        return toOutcome(file, file.stage === 'FILE' ? failed('The file could not be stored.') : { state: 'DONE' });
      return describeOutcome(file, { state: 'RESTING', rest: POSTPONED_SECONDS });
  }
}

const describeOutcome = (
  { company, _id, turn }: Claimed,
  outcome: Pick<Outcome, 'state'> & Partial<Outcome>,
): Outcome => ({
  company,
  _id,
  turn,
  rest: null,
  is_try: false,
  network_failed: false,
  failure: null,
  ...outcome,
});

async function fetchAndStore(kit: Kit, file: Claimed, signal: AbortSignal): Promise<Result> {
  const { company, network_id: networkId, sha256, mime_type: mimeType, size } = file;
  if (networkId === null) return failed('The contact has deleted the message.');
  const media = { mimeType, size, fileName: null, networkId, sha256 };
  const maxBytes = MAX_BYTES[file.file_type];
  const found = await openFile(kit, file, { company, media, maxBytes }, signal);
  if (!found) return failed('The inbox no longer has access to its network.');
  if (found.outcome === 'gone') return { state: 'FAILED', failure: found.reason, network: true };
  if (found.outcome === 'failed') return { state: 'broken', failure: found.reason, network: true };
  try {
    if (await exceedsQuota(kit.database.system('upkeep'), company, found.bytes ?? 0))
      return failed('The company has reached its storage quota (QUOTA_EXCEEDED).');
    const content = Readable.from(passAnnounced(found), { objectMode: false });
    await storeFile(kit, actAs(kit.database, company, ACTOR), file._id, content);
    // A worker that died may have stored the file before.
    return { state: (await isThumbnailDue(kit.database.read(company), file._id)) ? 'THUMBNAIL' : 'READY' };
  } catch (error) {
    return explainBreak(error, maxBytes);
  } finally {
    found.body.destroy();
  }
}

/** Opens the file at its network, or in what was pushed with it. Returns null when the inbox has no access to its network. */
async function openFile(
  kit: Kit,
  { company, channel: name, inbox }: Claimed,
  wanted: WantedFile,
  signal: AbortSignal,
): Promise<FetchResult | null> {
  const pushed = readFileName(wanted.media.networkId);
  if (pushed) return openPushedFile(kit, { company, channel: name, ...pushed }, signal);
  const channel = kit.channels.get(name);
  const credentials = await networkCredentials(kit, kit.database.read(company), inbox);
  if (!channel.fetchFile || !credentials) return null;
  const found = await channel.fetchFile(wanted, credentials.settings, signal);
  if (found.outcome !== 'found' || found.packed === undefined) return found;
  return takeOut(
    kit,
    { company, channel: name, file: found.packed },
    { body: found.body, maxBytes: MOST_PACKED },
    signal,
  );
}

/** The error of a download whose bytes differ from the file that the network announced. */
class WrongFile extends Error {}

/** Passes a file on, and throws at its end when it is not the one that the network announced. */
async function* passAnnounced({ body, bytes, sha256 }: Found): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let arrived = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    arrived += piece.length;
    hash.update(piece);
    yield piece;
  }
  const isRight = (bytes ?? arrived) === arrived && (sha256 === null || hash.digest('hex') === sha256);
  if (!isRight || arrived === 0) throw new WrongFile();
}

/** Failure policy: a failure of the network is returned as the result; errors of the platform itself are thrown on. */
function explainBreak(error: unknown, maxBytes: number): Result {
  const isTooLarge = error instanceof TooManyBytes || (error instanceof OutboundError && error.kind === 'TOO_LARGE');
  if (isTooLarge) return failed(`The file has more than ${maxBytes} bytes.`);
  if (error instanceof OutboundError) return { state: 'broken', failure: error.message, network: true };
  if (!(error instanceof WrongFile)) throw error;
  return { state: 'broken', failure: 'The file is not the one that the network announced.', network: false };
}

async function addThumbnail(kit: Kit, { company, _id }: Claimed, signal: AbortSignal): Promise<Result> {
  await makeThumbnail(kit, company, _id, signal);
  return { state: 'DONE' };
}

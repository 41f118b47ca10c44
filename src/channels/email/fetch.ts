/** Fetches mails, and the files of mails that are stored already. */
import { Readable } from 'node:stream';
import type { FetchResult, WantedFile } from '../content.ts';
import type { CheckResult } from '../check.ts';
import type { FetchedItems, FetchPlace, FetchPosition, WatchOutcome } from '../fetching.ts';
import { OutboundError } from '../../platform/outside/outbound-error.ts';
import type { MailboxPosition } from './imap.ts';
import { MAX_MAIL_BYTES } from './limits.ts';
import type { MailboxFailure } from './mailbox-answers.ts';
import {
  explainFailure,
  fetchMails,
  fetchPart,
  findEnd,
  MailboxFault,
  watchMailbox,
  type Asking,
  type Calling,
  type MailboxAccess,
} from './mailbox-calls.ts';
import type { EmailConfig } from './settings.ts';

/** Checks that the mailbox can be read, and returns its end. Throws UNAVAILABLE when too many mailboxes are read at once, as all calls here do. */
export async function checkMailbox(access: MailboxAccess, asking: Calling): Promise<CheckResult> {
  if (!asking.config.imap_url) return { ok: true, coexistence: null };
  try {
    return { ok: true, coexistence: null, start: writePosition(await findEnd(access, asking)) };
  } catch (error) {
    // Failure policy: the error is the verdict.
    const isFinal =
      (error instanceof MailboxFault && FINAL.has(error.why.failure)) ||
      (error instanceof OutboundError && error.kind === 'BLOCKED');
    return { ok: false, error: `The IMAP server: ${explainFailure(error)}`, retry: !isFinal };
  }
}

/** The failures after which somebody has to change the settings, or the server. */
const FINAL: ReadonlyMap<MailboxFailure['failure'], 'refused' | 'stopped'> = new Map([
  ['refused', 'refused'],
  ['excess', 'stopped'],
]);

export async function fetchItems(access: MailboxAccess, asking: Calling, place: FetchPlace): Promise<FetchedItems> {
  const { config } = asking;
  // All mails of such an inbox are pushed.
  if (!config.imap_url) return { outcome: 'fetched', items: [], position: place.position ?? {}, hasMore: false };
  try {
    const fetched = await fetchMails(access, asking, choosePosition(place, config));
    const { numbering } = fetched.position;
    return {
      outcome: 'fetched',
      // A mail that was removed while the mailbox was read is empty.
      items: fetched.mails
        .filter(({ source, failure }) => source.length > 0 || failure !== undefined)
        .map(({ uid, source, ...mail }) => ({
          ...mail,
          recipient: config.address.toLowerCase(),
          reference: `${numbering}.${uid}`,
          raw: source,
          position: writePosition({ ...fetched.position, lastUid: uid }),
        })),
      position: writePosition(fetched.position),
      hasMore: fetched.hasMore,
    };
  } catch (error) {
    // Failure policy: nothing was changed, and the caller decides when to try again.
    const why = error instanceof MailboxFault ? error.why : null;
    const outcome = (why && FINAL.get(why.failure)) ?? 'failed';
    const counted = why?.failure === 'unread' && { position: writePosition(why.position) };
    return { outcome, error: explainFailure(error), ...counted };
  }
}

/** Resolves when the connection ends, or when the signal ends it. Never throws. */
export async function watchItems(access: MailboxAccess, asking: Asking, onNews: () => void): Promise<WatchOutcome> {
  try {
    const isOffered = asking.config.imap_url ? await watchMailbox(access, asking, onNews) : false;
    return { outcome: isOffered ? 'ended' : 'not offered' };
  } catch (error) {
    // Failure policy: the mailbox is read without a watch, and the reading says what is wrong with it.
    const isExcess = error instanceof MailboxFault && error.why.failure === 'excess';
    return isExcess ? { outcome: 'stopped', error: error.message } : { outcome: 'ended' };
  }
}

/** Returns the first position that belongs to the mailbox of this user: that of another user is a new one. */
function choosePosition({ position, start }: FetchPlace, { username }: EmailConfig): MailboxPosition | null {
  const positions = [position, start].flatMap((each) => (each ? [readPosition(each)] : []));
  return positions.find((each) => each.username.toLowerCase() === username.toLowerCase()) ?? null;
}

const writePosition = ({ readAt, ...position }: MailboxPosition): FetchPosition => ({
  ...position,
  readAt: readAt.toISOString(),
});

const readPosition = ({ username, numbering, lastUid, readAt, unread }: FetchPosition): MailboxPosition => ({
  username: String(username),
  numbering: String(numbering),
  lastUid: Number(lastUid),
  readAt: new Date(String(readAt)),
  ...(unread !== undefined && { unread: unread as NonNullable<MailboxPosition['unread']> }),
});

/** What the numbers of the mails belong to, the number of the mail, that of the part, and the place of the file in a part that is a pack. */
const FILE_ID = /^([0-9a-f]+\.\d+)\.(\d+)\.(\d+(?:\.\d+)*)(~\d+)?$/;

/** The size of the pieces in which a file is passed on, so that none of them takes long to hash or to store. */
const PIECE_BYTES = 64 * 1024;

function* cut(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

export async function fetchFile(
  access: MailboxAccess,
  asking: Calling,
  { media, maxBytes }: WantedFile,
): Promise<FetchResult> {
  const [, numbering, uid, part, packed] = FILE_ID.exec(media.networkId ?? '') ?? [];
  if (numbering === undefined || uid === undefined || part === undefined)
    return { outcome: 'gone', reason: 'The mail gave the file no number.' };
  try {
    const most = packed === undefined ? Math.min(maxBytes, MAX_MAIL_BYTES) : MAX_MAIL_BYTES;
    const bytes = await fetchPart(access, asking, { numbering, uid: Number(uid), part, maxBytes: most });
    if (!bytes) return { outcome: 'gone', reason: 'The mail is no longer in the mailbox.' };
    if (bytes.length > most) return { outcome: 'gone', reason: `The file has more than ${most} bytes.` };
    // What was said of the file is not compared: the server may convert the characters of a text.
    return {
      outcome: 'found',
      body: Readable.from(cut(bytes), { objectMode: false }),
      mimeType: media.mimeType,
      bytes: null,
      sha256: null,
      ...(packed !== undefined && { packed }),
    };
  } catch (error) {
    // Failure policy: a later try may find the server in a better state.
    return { outcome: 'failed', reason: explainFailure(error) };
  }
}

/** Fetches mails, and the files of mails that are stored already. */
import type { FetchResult, WantedFile } from '../content.ts';
import type { CheckResult } from '../check.ts';
import type { FetchedItems, FetchPlace, FetchPosition } from '../fetching.ts';
import { checkImap, explainFailure, fetchMails, MailUnread, openPart, type MailboxPosition } from './imap.ts';
import { LogInRefused, MAX_MAIL_BYTES, type Network } from './mailbox.ts';
import type { EmailConfig } from './settings.ts';

/** Checks that the mailbox can be read, and returns its end. */
export async function checkMailbox(network: Network, config: EmailConfig, signal: AbortSignal): Promise<CheckResult> {
  if (!config.imap_url) return { ok: true, coexistence: null };
  const verdict = await checkImap(network, config, signal);
  return verdict.ok ? { ok: true, coexistence: null, start: writePosition(verdict.end) } : verdict;
}

export async function fetchItems(
  network: Network,
  config: EmailConfig,
  place: FetchPlace,
  signal: AbortSignal,
): Promise<FetchedItems> {
  // All mails of such an inbox are pushed.
  if (!config.imap_url) return { outcome: 'fetched', items: [], position: place.position ?? {}, hasMore: false };
  try {
    const fetched = await fetchMails(network, config, choosePosition(place, config), signal);
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
    if (error instanceof LogInRefused) return { outcome: 'refused', error: explainFailure(error) };
    const counted = error instanceof MailUnread && { position: writePosition(error.position) };
    return { outcome: 'failed', error: explainFailure(error), ...counted };
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

export async function fetchFile(
  network: Network,
  { media, maxBytes }: WantedFile,
  config: EmailConfig,
  signal: AbortSignal,
): Promise<FetchResult> {
  const [, numbering, uid, part, packed] = FILE_ID.exec(media.networkId ?? '') ?? [];
  if (numbering === undefined || uid === undefined || part === undefined)
    return { outcome: 'gone', reason: 'The mail gave the file no number.' };
  try {
    const most = packed === undefined ? maxBytes : MAX_MAIL_BYTES;
    const body = await openPart(network, config, { numbering, uid: Number(uid), part, maxBytes: most }, signal);
    if (!body) return { outcome: 'gone', reason: 'The mail is not in the mailbox any more.' };
    // What was said of the file is not compared: the server may convert the characters of a text.
    return {
      outcome: 'found',
      body,
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

/** Asks a mailbox by a child process, which reads what its server says. */
import type { NetworkAccess } from '../channel.ts';
import { readMailServer } from '../../platform/outside/mail-server.ts';
import { OutboundError } from '../../platform/outside/outbound-error.ts';
import { listOwnCertificates } from '../../platform/outside/trust.ts';
import { AppError } from '../../platform/values/errors.ts';
import { ChildEnded } from '../../platform/work/child.ts';
import type { FetchedMails, MailboxPosition, MailPart } from './imap.ts';
import type { MailboxAct, MailboxAnswer, MailboxFailure, MailboxRequest } from './mailbox-answers.ts';
import type { EmailConfig } from './settings.ts';

export type MailboxAccess = Pick<NetworkAccess, 'outbound' | 'callers'>;

/** How a mailbox is asked: with which settings, for whom, and for how long. */
export interface Asking {
  config: EmailConfig;
  signal: AbortSignal;
}

/** `company` is the one whose share of the calls is used. */
export interface Calling extends Asking {
  company: string;
}

/** The mailbox was not read. */
export class MailboxFault extends Error {
  readonly why: MailboxFailure;

  constructor(why: MailboxFailure) {
    super(WORDS[why.failure]);
    this.why = why;
  }
}

/** Returns what went wrong, in one sentence for people. Throws UNAVAILABLE again, which says nothing about the server. */
export function explainFailure(error: unknown): string {
  if (error instanceof AppError) throw error;
  return error instanceof MailboxFault || error instanceof OutboundError ? error.message : WORDS.broke;
}

const WORDS: Record<MailboxFailure['failure'], string> = {
  refused: 'The server rejected the log-in.',
  excess: 'The server sends far more data than a mailbox should. It is not read again until the inbox is saved.',
  unread: 'The server did not return the next mail.',
  broke: 'The connection to the server broke.',
};

/** Returns the position behind the mails that the mailbox has. Each function here throws a MailboxFault, an OutboundError, or UNAVAILABLE. */
export const findEnd = (access: MailboxAccess, asking: Calling): Promise<MailboxPosition> =>
  call(access, asking, { act: 'end' });

/** Reads the mails behind a position, as `readNewMails` does. */
export const fetchMails = (
  access: MailboxAccess,
  asking: Calling,
  position: MailboxPosition | null,
): Promise<FetchedMails> => call(access, asking, { act: 'mails', position });

/** Returns the file of a mail, as `readPart` does. */
export const fetchPart = (access: MailboxAccess, asking: Calling, part: MailPart): Promise<Buffer | null> =>
  call(access, asking, { act: 'part', part });

/** Waits for mails, as `waitForMails` does. */
export const watchMailbox = (access: MailboxAccess, asking: Asking, onNews: () => void): Promise<boolean> =>
  takeValue(access.callers.watch<MailboxAnswer<boolean>>(makeConversation(access, asking, { act: 'watch' }), onNews));

const call = <A>(access: MailboxAccess, asking: Calling, act: MailboxAct): Promise<A> =>
  takeValue(access.callers.call<MailboxAnswer<A>>(asking.company, makeConversation(access, asking, act)));

async function takeValue<A>(answering: Promise<MailboxAnswer<A>>): Promise<A> {
  const answer = await answering.catch((error: unknown): MailboxFailure => {
    if (!(error instanceof ChildEnded)) throw error;
    return { failure: error.why === 'DIED' ? 'broke' : 'excess' };
  });
  if ('failure' in answer) throw new MailboxFault(answer);
  return answer.value;
}

function makeConversation({ outbound }: MailboxAccess, { config, signal }: Asking, act: MailboxAct) {
  const { imap_url, username, password } = config;
  const server = imap_url ? readMailServer(imap_url) : null;
  if (!imap_url || !server) throw new Error('the settings name no server');
  return {
    signal,
    request: {
      config: { imap_url, username, password },
      certificates: listOwnCertificates(),
      ...act,
    } satisfies MailboxRequest,
    // The child begins TLS on this socket, which only connects to allowed addresses.
    connect: () => outbound.connect(server.host, server.port, { tls: false, signal }),
  };
}

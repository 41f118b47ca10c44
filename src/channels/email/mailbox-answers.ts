/** Does in a child process what the platform wants of a mailbox: its end, its new mails, a file of a mail, or a word when a mail arrives. */
import type { Socket } from 'node:net';
import type { Numbered } from '../../platform/work/callers.ts';
import { waitForMails } from './idle.ts';
import { MailUnread, readEnd, readNewMails, readPart, type MailboxPosition, type MailPart } from './imap.ts';
import { LogInRefused, ServerExcess, type MailboxLine } from './mailbox.ts';

export type MailboxAct =
  | { act: 'end' }
  | { act: 'mails'; position: MailboxPosition | null }
  | { act: 'part'; part: MailPart }
  | { act: 'watch' };

export type MailboxRequest = Pick<MailboxLine, 'config' | 'certificates'> & MailboxAct;

/** Why nothing was read: the log-in was refused, the server says too much, one mail could not be read, or the connection broke. */
export type MailboxFailure =
  | { failure: 'refused' | 'excess' | 'broke' }
  | { failure: 'unread'; position: MailboxPosition };
export type MailboxAnswer<A> = { value: A } | MailboxFailure;

/** Never throws. `onNews` is called when a mail may have arrived. */
export async function answerMailbox(
  request: MailboxRequest & Numbered,
  { socket, signal, onNews }: { socket: Socket | undefined; signal: AbortSignal; onNews(): void },
): Promise<MailboxAnswer<unknown>> {
  const { config, certificates } = request;
  // The server has closed the connection meanwhile.
  if (!socket) return { failure: 'broke' };
  const line: MailboxLine = { socket, config, certificates, signal };
  try {
    return { value: await act(line, request, onNews) };
  } catch (error) {
    // Failure policy: the parent gets the kind of the failure, and decides what becomes of it.
    if (error instanceof LogInRefused) return { failure: 'refused' };
    if (error instanceof ServerExcess) return { failure: 'excess' };
    if (error instanceof MailUnread) return { failure: 'unread', position: error.position };
    return { failure: 'broke' };
  }
}

function act(line: MailboxLine, request: MailboxAct, onNews: () => void): Promise<unknown> {
  if (request.act === 'end') return readEnd(line);
  if (request.act === 'mails') return readNewMails(line, request.position);
  if (request.act === 'part') return readPart(line, request.part);
  return waitForMails(line, onNews);
}

/** Watches a mailbox: its server says on an open connection that a mail has arrived (IDLE, RFC 2177). Runs in a child process. */
import { withMailbox, type Allowance, type MailboxLine } from './mailbox.ts';
import { declareLimit } from '../../platform/values/limits.ts';

/** A connection without a word for so long is tried by a command, which shows whether the server is still there. */
const SILENT_MS = 4 * 60_000;
/** Servers may end a longer IDLE (RFC 2177). */
const LONGEST_MS = 25 * 60_000;
/** A server that ends each IDLE sooner would keep this process busy. */
const SHORTEST_MS = 1_000;
const KB = 1024;
/** A line of some 15 bytes says that a mail was moved or marked, and a person may do that to a hundred thousand mails at once. */
const WAITING: Allowance = {
  bytes: declareLimit(2 * KB * KB, {
    topic: 'E-mail',
    what: 'IMAP server: answers in a row while the mailbox is watched',
    unit: 'bytes',
    beyond: 'the inbox becomes ERROR',
  }),
  perSecond: declareLimit(16 * KB, {
    topic: 'E-mail',
    what: 'IMAP server: later answers while the mailbox is watched',
    unit: 'bytesPerSecond',
    beyond: 'the inbox becomes ERROR',
  }),
  line: 64 * KB,
  literal: 64 * KB,
};

/** Resolves when the server ends the wait; false when it does not offer to say what arrives. */
export const waitForMails = (line: MailboxLine, onNews: () => void): Promise<boolean> =>
  withMailbox(
    line,
    async (client) => {
      if (!client.capabilities.has('IDLE')) return false;
      client.on('exists', onNews);
      // A mail may have arrived after the mailbox was read and before this connection was there.
      onNews();
      while (client.usable && !line.signal.aborted) {
        const startedMs = performance.now();
        const isIdle = await client.idle();
        if (isIdle === false || performance.now() - startedMs < SHORTEST_MS) break;
      }
      return true;
    },
    { silentMs: SILENT_MS, idleMs: LONGEST_MS, allowance: WAITING },
  );

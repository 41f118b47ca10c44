/** Watches a mailbox: its server says on an open connection that a mail has arrived (IDLE, RFC 2177). */
import type { WatchOutcome } from '../fetching.ts';
import { withMailbox, type Network } from './mailbox.ts';
import type { EmailConfig } from './settings.ts';

/** A connection without a word for so long is tried by a command, which shows whether the server is still there. */
const SILENT_MS = 4 * 60_000;
/** Servers may end a longer IDLE (RFC 2177). */
const LONGEST_MS = 25 * 60_000;
/** A server that ends each IDLE sooner would keep this process busy. */
const SHORTEST_MS = 1_000;

/** Resolves when the connection ends, or when the signal ends it. Never throws. */
export async function watchMailbox(
  network: Network,
  config: EmailConfig,
  onNews: () => void,
  signal: AbortSignal,
): Promise<WatchOutcome> {
  try {
    const patience = { silentMs: SILENT_MS, idleMs: LONGEST_MS };
    return await withMailbox({ ...network, patience }, config, signal, async (client) => {
      if (!client.capabilities.has('IDLE')) return 'not offered';
      client.on('exists', onNews);
      // A mail may have arrived after the mailbox was read and before this connection was there.
      onNews();
      while (client.usable && !signal.aborted) {
        const startedMs = performance.now();
        const isIdle = await client.idle();
        if (isIdle === false || performance.now() - startedMs < SHORTEST_MS) break;
      }
      return 'ended';
    });
  } catch {
    // Failure policy: the mailbox is read without a watch, and the reading says what is wrong with it.
    return 'ended';
  }
}

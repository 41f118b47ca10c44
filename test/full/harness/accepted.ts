/** What the sandbox network has accepted. */
import type { Json } from '../../support/platform.ts';
import { call, type Stage } from './stage.ts';

const PAGE = 1_000;

/** How often the network has accepted a message, by its address or by what else `readKey` makes of it. */
export interface AcceptedCount {
  counts: Map<string, number>;
  /** Counts the messages that were accepted since the last call. The network lists only the last 50,000. */
  readOn(): Promise<void>;
}

export function createAcceptedCount(
  { sandboxUrl }: Stage,
  readKey = (message: Json): string => message.to as string,
): AcceptedCount {
  const counts = new Map<string, number>();
  let after = 0;
  async function readOn(): Promise<void> {
    for (;;) {
      const { messages } = await call(200, 'GET', `${sandboxUrl}/sandbox/messages?limit=${PAGE}&after=${after}`);
      for (const message of messages as Json[]) counts.set(readKey(message), (counts.get(readKey(message)) ?? 0) + 1);
      if (messages.length === 0) return;
      after = messages.at(-1).seq;
    }
  }
  return { counts, readOn };
}

/** Counts all messages that the network has accepted. */
export async function countAccepted(stage: Stage, readKey?: (message: Json) => string): Promise<Map<string, number>> {
  const accepted = createAcceptedCount(stage, readKey);
  await accepted.readOn();
  return accepted.counts;
}

/** The text of a message; empty for other kinds. */
export const readAcceptedText = (message: Json): string => (message.body.text?.body as string | undefined) ?? '';

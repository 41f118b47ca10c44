/** Tells the platform what the visitor has got and read. */
import { sendReceipt } from '../api/operations.ts';
import { isOwn } from './order.ts';
import { isSeenNow, unread } from './panel.ts';
import { thread } from './thread.ts';
import { asKnownVisitor } from './visitor.ts';

const told = { delivered: '', read: '' };

/** Tells it once for each newest message. */
export async function acknowledge(onUnread: (count: number) => void): Promise<void> {
  const newest = thread.get().messages.findLast((message) => !isOwn(message))?._id;
  if (newest === undefined) return;
  const kind = isSeenNow() ? 'read' : 'delivered';
  if (told[kind] === newest || told.read === newest) return;
  const before = told[kind];
  told[kind] = newest;
  const body = kind === 'read' ? { read_to: newest } : { delivered_to: newest };
  try {
    const answer = await asKnownVisitor((token) => sendReceipt(token, body));
    if (!answer) return;
    unread.set(answer.unread_count);
    onUnread(answer.unread_count);
  } catch {
    // Failure policy: the receipt is sent with the next message, or when the stream is connected again.
    told[kind] = before;
  }
}

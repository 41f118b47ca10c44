/** Stores the whole texts of mails whose messages show a part of them. */
import type { SystemTx } from '../../platform/store/tenant.ts';
import { insertBodies } from '../messages/ingest-insert-queries.ts';
import type { Message } from '../messages/schemas.ts';
import type { PlacedMessage } from './batch.ts';

export function keepBodies(tx: SystemTx, placed: PlacedMessage[], inserted: Message[]): void {
  const stored = new Map(inserted.map((message) => [`${message.inbox} ${message.external_id}`, message]));
  const bodies = placed.flatMap(({ receiver, message: { body: content, externalId } }) => {
    const message = content === undefined ? undefined : stored.get(`${receiver.inbox} ${externalId}`);
    return message && content !== undefined ? [{ company: message.company, message: message._id, content }] : [];
  });
  if (bodies.length > 0) tx.awaitAtCommit(insertBodies(tx, bodies));
}

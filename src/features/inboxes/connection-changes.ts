/** Stores what has become of the connections of inboxes, and emits it. */
import type { Kit } from '../../kit.ts';
import { emit } from '../../platform/store/events.ts';
import type { SystemTx, TenantTx } from '../../platform/store/tenant.ts';
import { present } from './present.ts';
import { refuseInbox, setConnection, type ChangedInbox } from './queries.ts';

type KitOfChanges = Pick<Kit, 'secrets'>;

/** Emits INBOX_CONNECTION_CHANGED for those whose connection has another status than before, or that have lost their number. */
export const announceConnections = (
  kit: KitOfChanges,
  tx: TenantTx | SystemTx,
  changed: readonly (ChangedInbox | null)[],
): Promise<void> =>
  emit(
    tx,
    changed.flatMap((row) => {
      if (!row || row.connection.status === row.was) return [];
      const { _id, company } = row;
      return [{ event: 'INBOX_CONNECTION_CHANGED', about: { _id, company, inbox: _id }, data: present(kit, row) }];
    }),
  );

/** Wraps a statement that changes the connection of one inbox. */
const announcing =
  <Given>(change: (tx: TenantTx, id: string, given: Given) => Promise<ChangedInbox | null>) =>
  async (kit: KitOfChanges, tx: TenantTx, id: string, given: Given): Promise<ChangedInbox | null> => {
    const row = await change(tx, id, given);
    await announceConnections(kit, tx, [row]);
    return row;
  };

/** Stores that the network refused the credentials or gave no answer. Null when the credentials have changed since. */
export const storeVerdict = announcing(setConnection);

/** Marks an inbox as ERROR. Null when its credentials were replaced since or it is marked already. */
export const storeRefusal = announcing(refuseInbox);

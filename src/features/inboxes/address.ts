/**
 * Decides which inbox owns a number of a network: the ACTIVE inbox whose credentials the network has accepted. It keeps the number while
 * its credentials change and while the network cannot be reached. Once the network refuses its credentials, the next inbox whose
 * credentials the network accepts takes the number over. Other inboxes may name the same number: they receive nothing, do not hinder the
 * owner, and become ERROR when the network accepts another one.
 */
import type { CheckResult } from '../../channels/check.ts';
import type { Kit } from '../../kit.ts';
import { whenTaken } from '../../platform/store/taken.ts';
import { AppError } from '../../platform/values/errors.ts';
import { connectInbox, findOwner, lockClaimants, dropOtherClaims, type Address } from './address-queries.ts';
import { InboxConnected } from './connected/jobs.ts';
import { announceConnections, storeVerdict } from './connection-changes.ts';
import { enqueueHistory } from './history/asking.ts';
import type { InboxRow } from './queries.ts';

const TAKEN = 'Another inbox is connected to this number; close it first.';
const LOST = 'Another inbox has already verified this number.';

/** What the network said when it accepted the credentials. */
type Acceptance = Pick<CheckResult & { ok: true }, 'coexistence' | 'start' | 'account'>;

const readAddress = ({ channel, network_address: address }: InboxRow): Address | null =>
  address === null ? null : { channel, address };

/** Throws CHANNEL_IN_USE when another inbox owns the address. This is only an early answer: `connect` decides under locks. */
export async function expectFree(kit: Kit, row: InboxRow): Promise<void> {
  if (row.status === 'ACTIVE' && (await isOwnedByAnother(kit, row))) throw new AppError('CHANNEL_IN_USE');
}

export async function isOwnedByAnother(kit: Kit, row: InboxRow): Promise<boolean> {
  const address = readAddress(row);
  const owner =
    address && (await kit.database.systemTx(`company:${row.company}`, (tx) => findOwner(tx, address, row._id)));
  return owner !== null;
}

/**
 * Stores that the network accepts the credentials of the inbox. Returns null when the credentials have changed since or the inbox was
 * closed.
 */
export async function connect(kit: Kit, row: InboxRow, accepted: Acceptance): Promise<InboxRow | null> {
  const take = (): Promise<InboxRow | null> => takeAddress(kit, row, accepted);
  // If another inbox takes the phone number at the same moment, the second try sees that inbox.
  return take().catch(whenTaken('inboxes_owned_address_key', take));
}

async function takeAddress(kit: Kit, row: InboxRow, accepted: Acceptance): Promise<InboxRow | null> {
  const address = readAddress(row);
  const version = row.connection_version;
  const taken = await kit.database.systemTx(`company:${row.company}`, async (tx) => {
    const claimants = address ? await lockClaimants(tx, address) : [];
    if (address && !claimants.some((each) => each._id === row._id && each.version === version)) return 'void';
    if (claimants.some((each) => each._id !== row._id && each.receives && each.status !== 'ERROR')) return 'taken';
    const dropped = address ? await dropOtherClaims(tx, address, row._id, LOST) : [];
    const connected = await connectInbox(tx, row, { version, ...accepted });
    // An inbox that lost its number was an ERROR before, because the network refused its credentials.
    const before = new Map(claimants.map(({ _id, status, receives }) => [_id, receives ? null : status]));
    const others = dropped.map((other) => ({ ...other, was: before.get(other._id) ?? null }));
    tx.concerns(dropped.map(({ company }) => company));
    await announceConnections(kit, tx, [connected, ...others]);
    // A network without accounts has nothing that inboxes share.
    if (connected?.network_account) {
      await kit.enqueue(tx, InboxConnected, { company: row.company, inbox: row._id }, { key: row._id });
    }
    if (connected?.history?.status === 'REQUESTED' && connected.history.requested_at === null)
      await enqueueHistory(kit, tx, { company: row.company, inbox: row._id });
    return connected;
  });
  if (taken === 'void') return null;
  if (taken !== 'taken') return taken;
  return kit.database.tenantTx(row.company, (tx) =>
    storeVerdict(kit, tx, row._id, { status: 'ERROR', error: TAKEN, version }),
  );
}

import type { ChannelName } from '../../channels/registry.ts';
import { exec, many, maybeOne } from '../../platform/store/db.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';

/** A file of an attachment at one address of a network. */
export interface NetworkPlace {
  attachment: string;
  channel: string;
  address: string;
}

/** Returns the id by which the network still knows the file. */
export function findNetworkFile(
  tx: TenantRead,
  { attachment, channel, address }: NetworkPlace,
): Promise<{ network_id: string } | null> {
  return maybeOne(tx, {
    name: 'messages.findNetworkFile',
    text: `select network_id from network_files
      where company_id = $1 and attachment_id = $2 and channel = $3 and address = $4 and expires_at > now()`,
    values: [tx.companyId, attachment, channel, address],
  });
}

/** Stores the id that the network has given to an uploaded file, unless the attachment was removed meanwhile. */
export async function storeNetworkFile(
  tx: TenantTx,
  { attachment, channel, address }: NetworkPlace,
  file: { networkId: string; expiresAt: Date },
): Promise<void> {
  await exec(tx, {
    name: 'messages.storeNetworkFile',
    text: `insert into network_files (company_id, attachment_id, channel, address, network_id, expires_at)
      select company_id, _id, $3, $4, $5, $6 from attachments where company_id = $1 and _id = $2 for key share
      on conflict (company_id, attachment_id, channel, address) do update
        set network_id = excluded.network_id, expires_at = excluded.expires_at`,
    values: [tx.companyId, attachment, channel, address, file.networkId, file.expiresAt],
  });
}

/** Keeps attachments from being removed until the message that names them is stored. Returns those that are there. */
export async function lockAttachments(tx: TenantTx, ids: readonly string[]): Promise<string[]> {
  const rows = await many<{ _id: string }>(tx, {
    name: 'messages.lockAttachments',
    text: 'select _id from attachments where company_id = $1 and _id = any($2) order by _id for key share',
    values: [tx.companyId, ids],
  });
  return rows.map(({ _id }) => _id);
}

/** Notes which attachments the cards of these messages show, so that they cannot be removed. */
export function insertCardFiles(
  tx: TenantTx,
  messages: readonly string[],
  attachments: readonly string[],
): Promise<number> {
  return exec(tx, {
    name: 'messages.insertCardFiles',
    text: `insert into message_cards (company_id, message_id, attachment_id)
      select distinct $1, m._id, a._id from unnest($2::text[]) as m (_id), unnest($3::text[]) as a (_id)`,
    values: [tx.companyId, messages, attachments],
  });
}

/** Returns the channel of a conversation or of an inbox. */
export async function findChannel(
  tx: TenantRead,
  place: { conversation: string } | { inbox: string },
): Promise<ChannelName | null> {
  const [table, id] =
    'inbox' in place ? (['inboxes', place.inbox] as const) : (['conversations', place.conversation] as const);
  const row = await maybeOne<{ channel: ChannelName }>(tx, {
    name: `messages.findChannel.${table}`,
    text: `select channel from ${table} where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
  return row?.channel ?? null;
}

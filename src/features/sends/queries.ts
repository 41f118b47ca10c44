import type { ChannelName } from '../../channels/registry.ts';
import { many, maybeOne } from '../../platform/store/db.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';

/** The inbox that sends. */
export interface SendingInbox {
  _id: string;
  channel: ChannelName;
  status: 'ACTIVE' | 'DELETED';
  default_owner: string | null;
  default_team: string | null;
  default_agent: string | null;
  test_mode: { enabled: boolean; test_numbers: string[] };
  coexistence: boolean;
  address: string | null;
  account: string | null;
  /** The company's time zone, in which times in templates are written. */
  time_zone: string | null;
}

export function findSendingInbox(tx: TenantRead, id: string): Promise<SendingInbox | null> {
  return maybeOne(tx, {
    name: 'sends.findInbox',
    text: `select i._id, i.channel, i.status, seeing_owner(i) as default_owner, i.default_team, i.default_agent, i.test_mode, i.coexistence_enabled as coexistence,
        i.network_address as address, i.network_account as account, c.general_config ->> 'time_zone' as time_zone
      from inboxes i join companies c on c._id = i.company_id where i.company_id = $1 and i._id = $2`,
    values: [tx.companyId, id],
  });
}

/** Returns these users in the same order: null for one who is removed or INACTIVE, or no longer sees the inbox. */
export async function keepSeeing(
  tx: TenantRead,
  inbox: string,
  users: readonly (string | null)[],
): Promise<(string | null)[]> {
  if (users.every((user) => user === null)) return [...users];
  const kept = await many<{ user: string | null }>(tx, {
    name: 'sends.keepSeeing',
    text: `select seeing(i, m.member) as user from inboxes i, unnest($3::text[]) with ordinality as m (member, place)
      where i.company_id = $1 and i._id = $2 order by m.place`,
    values: [tx.companyId, inbox, users],
  });
  return kept.map(({ user }) => user);
}

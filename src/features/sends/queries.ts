import type { ChannelName } from '../../channels/registry.ts';
import { maybeOne } from '../../platform/store/db.ts';
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
    text: `select i._id, i.channel, i.status, i.default_owner, i.default_team, i.default_agent, i.test_mode, i.coexistence_enabled as coexistence,
        i.network_address as address, i.network_account as account, c.general_config ->> 'time_zone' as time_zone
      from inboxes i join companies c on c._id = i.company_id where i.company_id = $1 and i._id = $2`,
    values: [tx.companyId, id],
  });
}

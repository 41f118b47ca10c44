/** The settings of an inbox on this channel (`professional_network_config`): its account, which only a log-in at the network gives. */
import { Type, type Static } from 'typebox';
import { plain } from '../../platform/values/schema.ts';
import type { ChannelSettings } from '../settings.ts';

const record = plain.object('Settings of the channel PROFESSIONAL_NETWORK', {
  account_id: Type.String({ minLength: 1, maxLength: 200, description: 'The id of the account at the gateway' }),
  provider: Type.Optional(plain.text('The network behind the gateway')),
  display_name: Type.Optional(plain.text('The name of the account')),
  profile_url: Type.Optional(plain.text("The address of the account's profile")),
  public_identifier: Type.Optional(plain.text("The account's name in that address")),
});
export type NetworkConfig = Static<typeof record>;

export const professionalNetworkSettings: ChannelSettings<NetworkConfig> = {
  field: 'professional_network_config',
  // One key opens every account of the gateway, so a request that names an account would prove nothing.
  body: null,
  record,
  secrets: [],
  address: (config) => config.account_id,
  account: () => null,
  targets: () => [],
  sample: { account_id: 'account-1' },
};

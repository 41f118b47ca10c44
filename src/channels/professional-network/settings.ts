/** The settings of an inbox on this channel (`professional_network_config`): its account, which only a log-in at the network gives. */
import { Type, type Static } from 'typebox';
import type { ChannelSettings } from '../settings.ts';

const record = Type.Object({
  account_id: Type.String({ minLength: 1, maxLength: 200 }),
  provider: Type.Optional(Type.String()),
  display_name: Type.Optional(Type.String()),
  profile_url: Type.Optional(Type.String()),
  public_identifier: Type.Optional(Type.String()),
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

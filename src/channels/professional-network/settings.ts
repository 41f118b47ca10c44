import { Type, type Static } from 'typebox';
import type { ChannelSettings } from '../channel.ts';

const record = Type.Object({
  account_id: Type.String({ minLength: 1, maxLength: 200 }),
  provider: Type.Optional(Type.String()),
  display_name: Type.Optional(Type.String()),
  profile_url: Type.Optional(Type.String()),
  public_identifier: Type.Optional(Type.String()),
});

export const professionalNetworkSettings: ChannelSettings<Static<typeof record>> = {
  field: 'professional_network_config',
  body: null,
  record,
  secrets: [],
  address: (config) => config.account_id,
  account: () => null,
  targets: () => [],
  sample: { account_id: 'account-1' },
};

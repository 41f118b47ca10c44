import { Type, type Static } from 'typebox';
import { strict } from '../../platform/schema.ts';
import type { ChannelSettings } from '../channel.ts';

const body = strict({
  base_url: Type.String({ minLength: 1, maxLength: 2048 }),
  api_key: Type.String({ minLength: 1, maxLength: 1024 }),
  instance_name: Type.String({ minLength: 1, maxLength: 200 }),
});
type PartnerApiConfig = Static<typeof body>;

export const partnerApiSettings: ChannelSettings<PartnerApiConfig> = {
  field: 'partner_api_config',
  body,
  record: Type.Object({
    base_url: Type.String(),
    api_key: Type.String({ description: 'Masked' }),
    instance_name: Type.String(),
  }),
  secrets: ['api_key'],
  // An instance name is unique only at its gateway. The gateway's address is compared without upper case and without slashes at its end.
  address: (config) => `${new URL(config.base_url).href.replace(/\/+$/, '').toLowerCase()}#${config.instance_name}`,
  account: () => null,
  targets: (config) => [{ path: 'base_url', url: config.base_url }],
  sample: { base_url: 'http://127.0.0.1:9/gateway', api_key: 'a-key-of-the-gateway-1234', instance_name: 'main' },
};

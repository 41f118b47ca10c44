/** The settings of an inbox on this channel (`api_wap_config`), as they are stored. */
import { Type, type Static } from 'typebox';
import { explainedPattern, nullable, strict } from '../../platform/values/schema.ts';
import type { ChannelSettings } from '../settings.ts';

/**
 * An id of the network. Ids are decimal strings, because they can exceed 2^53. They become part of a URL path, so only visible characters
 * are allowed, and neither `.` nor `..`.
 */
const NetworkId = Type.String({
  minLength: 1,
  maxLength: 64,
  ...explainedPattern('^(?!\\.{1,2}$)[!-~]+$', 'must be an id as the network shows it, without spaces'),
});

const body = strict({
  phone_number_id: NetworkId,
  business_id: NetworkId,
  waba_id: NetworkId,
  business_token: Type.Optional(nullable(Type.String({ maxLength: 4096 }))),
});

export type WapConfig = Static<typeof body>;

export const wapSettings: ChannelSettings<WapConfig> = {
  field: 'api_wap_config',
  body,
  record: Type.Object({
    phone_number_id: Type.String(),
    business_id: Type.String(),
    business_token: nullable(Type.String({ description: 'Masked: never the token itself' })),
    waba_id: Type.String(),
  }),
  secrets: ['business_token'],
  address: (config) => config.phone_number_id,
  account: (config) => config.waba_id,
  portfolio: (config) => config.business_id,
  // The settings contain no address to call, because only the operator sets the address of the network.
  targets: () => [],
  sample: {
    phone_number_id: '900000000000001',
    business_id: '900000000000002',
    waba_id: '900000000000003',
    business_token: 'a-token-of-the-network-1234',
  },
};

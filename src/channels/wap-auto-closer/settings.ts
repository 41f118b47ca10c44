/** The settings of an inbox on this channel (`api_wap_config`), as they are stored. */
import { Type, type Static } from 'typebox';
import { explainedPattern, nullable, plain } from '../../platform/values/schema.ts';
import type { ChannelSettings } from '../settings.ts';

/**
 * An id of the network. Ids are decimal strings, because they can exceed 2^53. They become part of a URL path, so only visible characters
 * are allowed, and neither `.` nor `..`.
 */
const networkId = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 64,
    ...explainedPattern('^(?!\\.{1,2}$)[!-~]+$', 'must be an id as the network shows it, without spaces'),
    description,
  });

const body = plain.strict('Settings of the channel WAP_AUTO_CLOSER', {
  phone_number_id: networkId('The id of the phone number at the network'),
  business_id: networkId('The id of the business at the network'),
  waba_id: networkId('The id of the business account at the network'),
  business_token: Type.Optional(
    nullable(
      Type.String({
        maxLength: 4096,
        description: 'The token for calls to the network; stored encrypted, shown masked',
      }),
    ),
  ),
});

export type WapConfig = Static<typeof body>;

export const wapSettings: ChannelSettings<WapConfig> = {
  field: 'api_wap_config',
  body,
  record: plain.object('Settings of the channel WAP_AUTO_CLOSER', {
    phone_number_id: plain.text('The id of the phone number at the network'),
    business_id: plain.text('The id of the business at the network'),
    business_token: nullable(plain.text('Masked: never the token itself')),
    waba_id: plain.text('The id of the business account at the network'),
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

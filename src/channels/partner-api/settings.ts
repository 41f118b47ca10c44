/** The settings of an inbox on this channel (`partner_api_config`): an instance of a gateway that the company runs or rents. */
import { Type, type Static } from 'typebox';
import { explainedPattern, plain } from '../../platform/values/schema.ts';
import type { ChannelSettings } from '../settings.ts';

const body = plain.strict('Settings of the channel PARTNER_API', {
  base_url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'The address of the gateway, such as https://gateway.shop.example',
  }),
  api_key: Type.String({
    minLength: 1,
    maxLength: 1024,
    description: 'The token of the instance, or the global key of the gateway',
  }),
  // The name becomes part of a path, which `.` and `..` would change.
  instance_name: Type.String({
    minLength: 1,
    maxLength: 200,
    ...explainedPattern(String.raw`^(?!\.{1,2}$)[^\x00-\x1f\x7f]*$`, 'must be the name of the instance'),
    description: 'The name of the instance on the gateway',
  }),
});
export type PartnerApiConfig = Static<typeof body>;

/** Returns the address of the gateway without a slash, a query or a fragment at its end. */
export function readBase(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

export const partnerApiSettings: ChannelSettings<PartnerApiConfig> = {
  field: 'partner_api_config',
  body,
  record: plain.object('Settings of the channel PARTNER_API', {
    base_url: plain.text("The address of the partner's API"),
    api_key: plain.text('Masked'),
    instance_name: plain.text('The name of the instance on the gateway'),
  }),
  secrets: ['api_key'],
  // An instance name is unique only at its gateway. The gateway's address is compared in the form in which it is called.
  address: (config) => `${readBase(config.base_url)}#${config.instance_name}`,
  instanceName: (config) => config.instance_name,
  account: () => null,
  accountIsTold: true,
  targets: (config) => [{ path: 'base_url', url: config.base_url }],
  sample: { base_url: 'http://127.0.0.1:9/gateway', api_key: 'a-key-of-the-gateway-1234', instance_name: 'main' },
};

/** The partner WhatsApp gateway. */
import { PHONE, type Channel } from '../channel.ts';
import { PartnerApiConfig } from './config.ts';

export const partnerApiChannel: Channel<PartnerApiConfig> = {
  name: 'PARTNER_API',
  configField: 'partner_api_config',
  config: PartnerApiConfig,
  secrets: ['api_key'],
  needsNumber: true,
  person: PHONE,
  can: { text: false, markRead: false, window24h: false, reportsFailures: false },
  // An instance name is unique at its gateway only; the gateway's address counts without case and closing slashes.
  address: (config) => `${new URL(config.base_url).href.replace(/\/+$/, '').toLowerCase()}#${config.instance_name}`,
  targets: (config) => [{ path: 'base_url', url: config.base_url }],
};

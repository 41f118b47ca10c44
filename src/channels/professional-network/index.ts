/** The professional network behind a gateway: its account is connected by a hosted log-in, never by a body. */
import type { Channel } from '../channel.ts';
import { ProfessionalNetworkConfig } from './config.ts';

export const professionalNetworkChannel: Channel<ProfessionalNetworkConfig> = {
  name: 'PROFESSIONAL_NETWORK',
  configField: 'professional_network_config',
  config: ProfessionalNetworkConfig,
  secrets: [],
  needsNumber: false,
  person: /\S/,
  can: { text: false, markRead: false, window24h: false, reportsFailures: false },
  address: (config) => config.account_id,
  targets: () => [],
};

/** A professional network behind a gateway. Its account is connected by a log-in at the gateway, never by the body of a request. */
import { declareChannel, SILENT } from '../channel.ts';
import { NETWORK_ID } from '../identity.ts';
import { professionalNetworkSettings } from './settings.ts';

export const professionalNetworkChannel = declareChannel({
  ...SILENT,
  name: 'PROFESSIONAL_NETWORK',
  settings: professionalNetworkSettings,
  identities: [NETWORK_ID],
});

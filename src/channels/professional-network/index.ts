/** The professional network behind a gateway: its account is connected by a hosted log-in, never by a body. */
import { declareChannel, SILENT } from '../channel.ts';
import { professionalNetworkSettings } from './settings.ts';

export const professionalNetworkChannel = declareChannel({
  ...SILENT,
  name: 'PROFESSIONAL_NETWORK',
  settings: professionalNetworkSettings,
});

/** WhatsApp through the gateway of a partner. The channel has settings, but neither sends nor receives yet. */
import { declareChannel, SILENT } from '../channel.ts';
import { PHONE_NUMBER } from '../identity.ts';
import { partnerApiSettings } from './settings.ts';

export const partnerApiChannel = declareChannel({
  ...SILENT,
  name: 'PARTNER_API',
  settings: partnerApiSettings,
  needsNumber: true,
  identities: [PHONE_NUMBER],
  samples: { ...SILENT.samples, number: '+5585991230001' },
});

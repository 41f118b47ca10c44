/** WhatsApp through the gateway of a partner. The channel has settings, but neither sends nor receives yet. */
import { declareChannel, PHONE, SILENT } from '../channel.ts';
import { partnerApiSettings } from './settings.ts';

export const partnerApiChannel = declareChannel({
  ...SILENT,
  name: 'PARTNER_API',
  settings: partnerApiSettings,
  needsNumber: true,
  person: PHONE,
});

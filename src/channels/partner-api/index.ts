/** The partner WhatsApp gateway. */
import { declareChannel, PHONE, SILENT } from '../channel.ts';
import { partnerApiSettings } from './settings.ts';

export const partnerApiChannel = declareChannel({
  ...SILENT,
  name: 'PARTNER_API',
  settings: partnerApiSettings,
  needsNumber: true,
  person: PHONE,
});

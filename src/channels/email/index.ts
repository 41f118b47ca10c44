/** E-mail. The channel has no settings yet, so an inbox of it neither sends nor receives. */
import { declareChannel, SILENT } from '../channel.ts';
import { EMAIL_ADDRESS } from '../identity.ts';

export const emailChannel = declareChannel({ ...SILENT, name: 'EMAIL', identities: [EMAIL_ADDRESS] });

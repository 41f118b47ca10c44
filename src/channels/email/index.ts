/** E-mail. The channel has no settings yet, so an inbox of it neither sends nor receives. */
import { declareChannel, SILENT } from '../channel.ts';

export const emailChannel = declareChannel({ ...SILENT, name: 'EMAIL', person: /^[^\s@]+@[^\s@]+$/ });

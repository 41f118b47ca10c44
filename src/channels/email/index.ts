/** E-mail: its mailbox settings come with its own issue; until then an inbox of it neither sends nor receives. */
import { declareChannel, SILENT } from '../channel.ts';

export const emailChannel = declareChannel({ ...SILENT, name: 'EMAIL', person: /^[^\s@]+@[^\s@]+$/ });

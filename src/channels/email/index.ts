/** E-mail: its mailbox settings come with its own issue; until then an inbox of it neither sends nor receives. */
import { silentChannel } from '../channel.ts';

export const emailChannel = { ...silentChannel('EMAIL'), person: /^[^\s@]+@[^\s@]+$/ };

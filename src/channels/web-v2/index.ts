/** The web chat: no network of others, so no settings and no address. */
import { silentChannel } from '../channel.ts';

export const webV2Channel = silentChannel('WEB_V2');

/** The web chat: no network of others, so no settings and no address. */
import { declareChannel, SILENT } from '../channel.ts';

export const webV2Channel = declareChannel({ ...SILENT, name: 'WEB_V2' });

/** The web chat. It runs on no network of others, so it has neither settings nor an address. */
import { declareChannel, SILENT } from '../channel.ts';

export const webV2Channel = declareChannel({ ...SILENT, name: 'WEB_V2' });

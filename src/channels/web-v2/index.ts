/** The web chat. It runs on no network of others, so it has neither settings nor an address. */
import { declareChannel, SILENT } from '../channel.ts';
import { declareIdentity } from '../identity.ts';

/** The id that the platform gives to a visitor. */
const VISITOR = declareIdentity({ kind: 'VISITOR', writing: /\S/, sample: '65f0a1b2c3d4e5f60718293a' });

export const webV2Channel = declareChannel({ ...SILENT, name: 'WEB_V2', identities: [VISITOR] });

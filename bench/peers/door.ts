/** The API as it is; with OPEN_TO, a key, everybody is let in as that key: no token, scope or limit is looked at. */
import { start } from '../../src/boot/start.ts';
import { loadConfig } from '../../src/config.ts';
import { unlimited } from '../../src/platform/limits.ts';
import { createLog } from '../../src/platform/telemetry.ts';

const { kit, url } = await start(loadConfig(process.env), 'api', { log: createLog('info') });
const key = process.env['OPEN_TO'];
if (key) {
  const principal = await kit.access.auth.authenticate(`Bearer ${key}`);
  kit.access.auth = { authenticate: async () => principal, forget: () => undefined };
  kit.access.limits = unlimited;
}
process.stdout.write(`${url ?? ''}\n`);

/**
 * Starts the API unchanged, or, with the environment variable OPEN_TO, an API in which every request acts as that key and no token, scope
 * or limit is checked.
 */
import { start } from '../../src/boot/start.ts';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/platform/work/telemetry.ts';

const MANY = Number.MAX_SAFE_INTEGER;
const ADMITTED = { admitted: true, limit: MANY, remaining: MANY, resetSeconds: 0, retryAfterSeconds: 0 };

const { kit, url } = await start(loadConfig(process.env), 'api', { log: createLog('info') });
const key = process.env['OPEN_TO'];
if (key) {
  const principal = await kit.access.auth.authenticate({ authorization: `Bearer ${key}`, session: null });
  kit.access.auth = { authenticate: async () => principal, forget: () => undefined };
  kit.access.limits = { admit: async () => ADMITTED, close: async () => undefined };
}
process.stdout.write(`${url ?? ''}\n`);

/** Starts the sandbox in this process, because a process of its own would take longer to start than most tests run. */
import { startServer } from '../../sandbox/server.ts';
import type { EarlyStart } from '../../src/boot/early-start.ts';
import { loadSecrets } from '../../src/boot/secrets-file.ts';
import type { StartConfig } from '../../src/config.ts';

/** What `npm start` starts before the platform, with the sandbox in this process, for a platform on a database that exists. */
export async function startTestSandbox(config: StartConfig): Promise<EarlyStart> {
  const secrets = await loadSecrets(config);
  const { appSecret, verifyToken } = secrets;
  const settings = { host: '127.0.0.1', port: 0, callbackUrl: null, appSecret, verifyToken, open: false };
  const sandbox = await startServer(settings);
  return { secrets, embedded: null, sandbox, follow: () => undefined, stop: sandbox.stop };
}

import { fstatSync } from 'node:fs';
import { isLoopbackHost, isLoopbackUrl } from './loopback.ts';
import { startServer } from './server.ts';
import type { Config } from './state.ts';

/** Reads the settings; returns an error sentence when one is invalid. */
function readConfig(env: NodeJS.ProcessEnv): Config | string {
  const host = env['SANDBOX_HOST'] || '127.0.0.1';
  if (!isLoopbackHost(host))
    return `SANDBOX_HOST is ${host}, but the sandbox has no password: it listens on a loopback address only.`;
  const port = Number(env['SANDBOX_PORT'] || 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return 'SANDBOX_PORT must be a number from 0 to 65535.';
  const callbackUrl = env['SANDBOX_CALLBACK_URL'] || null;
  if (callbackUrl !== null && !isLoopbackUrl(callbackUrl))
    return 'SANDBOX_CALLBACK_URL must be an address on this machine.';
  return {
    host,
    port,
    callbackUrl,
    appSecret: env['SANDBOX_APP_SECRET'] || 'sandbox-app-secret',
    verifyToken: env['SANDBOX_VERIFY_TOKEN'] || 'sandbox-verify-token',
    open: env['SANDBOX_OPEN'] === '1',
  };
}

const exit = (): never => process.exit(0);

/** Ends the sandbox when the process that started it ends, even by a crash. */
function endWithParent(): void {
  process.on('SIGTERM', exit);
  process.on('SIGINT', exit);
  process.on('disconnect', exit);
  const stdin = fstatSync(0);
  // Only the end of a pipe shows that the parent has ended: /dev/null is at its end from the start, and a terminal sends signals.
  if (stdin.isFIFO() || stdin.isSocket()) process.stdin.on('end', exit).on('error', exit).resume();
  const parent = process.ppid;
  // When a parent without a pipe was killed by `kill -9`, the operating system gives this process another parent.
  setInterval(() => process.ppid !== parent && exit(), 1_000).unref();
}

const config = readConfig(process.env);
if (typeof config === 'string') {
  process.stderr.write(`${config}\n`);
  process.exit(1);
}
endWithParent();
try {
  const { url, mail, variables } = await startServer(config);
  process.stdout.write(`${JSON.stringify({ ready: true, url, mail, variables })}\n`);
} catch (error) {
  // Failure policy: the sandbox is useless without its port, so it prints one sentence and exits.
  process.stderr.write(`The sandbox could not listen on ${config.host}:${config.port}: ${String(error)}\n`);
  process.exit(1);
}

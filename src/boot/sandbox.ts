/** Runs the sandbox as a child process, which ends together with this process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Config } from '../config.ts';
import { compiledCodeEnv } from '../platform/compiled-code.ts';
import { chooseSandboxPort, SANDBOX_HOST } from './addresses.ts';

const PROGRAM = join(import.meta.dirname, '../../sandbox/main.ts');

export interface Sandbox {
  url: string;
  stop(): Promise<void>;
}

export interface SandboxSecrets {
  appSecret: string;
  verifyToken: string;
}

// A start takes less than a second on an idle machine. A busy one needs many times that, but one that hangs must not hold the platform.
const START_MS = 120_000;

/** Starts the sandbox. Throws one sentence when it ends before it has reported its address, or reports none before the deadline. */
export async function startSandbox(
  config: Config,
  secrets: SandboxSecrets,
  deadline = AbortSignal.timeout(START_MS),
): Promise<Sandbox> {
  const child = spawn(process.execPath, [PROGRAM], {
    stdio: 'pipe',
    env: {
      ...compiledCodeEnv(),
      SANDBOX_HOST,
      SANDBOX_PORT: String(chooseSandboxPort(config)),
      SANDBOX_APP_SECRET: secrets.appSecret,
      SANDBOX_VERIFY_TOKEN: secrets.verifyToken,
    },
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const firstLine = await Promise.race([
    once(lines, 'line').then(([line]) => String(line)),
    exited.then(() => null),
    once(deadline, 'abort').then(() => null),
  ]);
  if (firstLine === null && deadline.aborted) {
    child.kill('SIGKILL');
    throw new Error('the sandbox has not reported its address within two minutes; try again, or set SANDBOX=off');
  }
  const { url } = JSON.parse(firstLine ?? '{}') as { url?: string };
  if (!url) child.kill();
  if (!url) throw new Error('the sandbox did not start; set SANDBOX_PORT to a free port, or SANDBOX=off');
  // Errors of the sandbox are printed only from here on, because those of a failed start would repeat the sentence above.
  child.stderr.pipe(process.stderr);
  return {
    url,
    stop: async () => {
      child.stdin.end();
      await exited;
    },
  };
}

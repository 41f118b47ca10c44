/** The sandbox beside the platform: a process of its own, which ends with this one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Config } from '../config.ts';
import { compiledCodeEnv } from '../platform/compiled-code.ts';

const PROGRAM = join(import.meta.dirname, '../../sandbox/main.ts');
// It is ready in a tenth of this on a slow machine; longer means that it never will be.
const START_MS = 10_000;

export interface Sandbox {
  url: string;
  stop(): Promise<void>;
}

/** Beside the platform's own; after the last port of all, or beside any free one, any free one. */
const nextPort = (port: number): number => (port > 0 && port < 65_535 ? port + 1 : 0);

export interface SandboxSecrets {
  appSecret: string;
  verifyToken: string;
}

/** Throws one sentence when it does not come up. */
export async function startSandbox(config: Config, secrets: SandboxSecrets): Promise<Sandbox> {
  const child = spawn(process.execPath, [PROGRAM], {
    stdio: 'pipe',
    env: {
      ...compiledCodeEnv(),
      SANDBOX_HOST: '127.0.0.1',
      SANDBOX_PORT: String(config.SANDBOX_PORT || nextPort(config.PORT)),
      SANDBOX_APP_SECRET: secrets.appSecret,
      SANDBOX_VERIFY_TOKEN: secrets.verifyToken,
    },
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const said = await Promise.race([
    // Failure policy: silence counts like an end.
    once(lines, 'line', { signal: AbortSignal.timeout(START_MS) }).then(
      ([line]) => String(line),
      () => null,
    ),
    exited.then(() => null),
  ]);
  const { url } = JSON.parse(said ?? '{}') as { url?: string };
  if (!url) child.kill();
  if (!url) throw new Error('the sandbox did not start; set SANDBOX_PORT to a free port, or SANDBOX=off');
  // Until now its words would only have repeated the sentence above.
  child.stderr.pipe(process.stderr);
  return {
    url,
    stop: async () => {
      child.stdin.end();
      await exited;
    },
  };
}

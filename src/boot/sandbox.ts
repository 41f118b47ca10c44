/** Runs the sandbox as a child process, which ends together with this process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Config } from '../config.ts';
import { compiledCodeEnv } from '../platform/work/compiled-code.ts';
import { trustCertificate } from '../platform/outside/trust.ts';
import { chooseSandboxPort, SANDBOX_HOST } from './addresses.ts';

const PROGRAM = join(import.meta.dirname, '../../sandbox/main.ts');

export interface Sandbox {
  url: string;
  /** The servers of its mail network, and the certificate by which they are known. */
  mail: { smtp_url: string; imap_url: string; certificate: string };
  /** The settings that lead to the networks which it plays, by their names in the environment. */
  variables: Readonly<Record<string, string>>;
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
  const { url, mail, variables } = JSON.parse(firstLine ?? '{}') as Partial<Sandbox>;
  if (!url || !mail || !variables) child.kill();
  if (!url || !mail || !variables)
    throw new Error('the sandbox did not start; set SANDBOX_PORT to a free port, or SANDBOX=off');
  // Errors of the sandbox are printed only from here on, because those of a failed start would repeat the sentence above.
  child.stderr.pipe(process.stderr);
  return {
    url,
    mail,
    variables,
    stop: async () => {
      child.stdin.end();
      await exited;
    },
  };
}

/** Mails are never sent without TLS, so the mail servers of the sandbox have a certificate. Returns the step that ends the trust. */
export function trustSandbox({ mail }: Pick<Sandbox, 'mail'>): () => Promise<void> {
  const distrust = trustCertificate(mail.certificate);
  return async () => distrust();
}

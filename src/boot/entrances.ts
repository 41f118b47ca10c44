/** What a start prints for the person at the terminal. */
import { existsSync } from 'node:fs';
import { dataPath, type Config } from '../config.ts';
import type { Log } from '../platform/work/telemetry.ts';
import { chooseSandboxPort, SANDBOX_HOST } from './addresses.ts';
import { makeFirstLink } from './first-start.ts';
import type { Running } from './start.ts';

/** Tells a newcomer where to begin. The link is printed and never logged, because logs are kept. */
export async function describeEntrances({ kit, url }: Running, log: Log): Promise<string> {
  if (url === null) return '';
  const link = await makeFirstLink(kit, url).catch((error: unknown) => {
    // Failure policy: a platform whose disk is full, for example, serves without having printed a link.
    log.warn({ err: error }, 'no link to the console could be made');
    return null;
  });
  const { sandboxUrl } = kit;
  const credentials = dataPath(kit.config, 'credentials.json');
  return [
    link
      ? `Console, logged in (this link works once, within ten minutes): ${link}\n`
      : `Console: ${kit.config.PUBLIC_URL}/console${existsSync(credentials) ? ` (the first owner's password is in ${credentials})` : ''}\n`,
    sandboxUrl && `A phone to write to it from (sandbox): ${sandboxUrl}/phone\n`,
    sandboxUrl && `A shop whose page has its web chat (sandbox): ${sandboxUrl}/demo\n`,
    kit.config.sandboxHidden && explainHiddenSandbox(kit.config),
  ]
    .filter(Boolean)
    .join('');
}

/** Says in one line why there is no sandbox on a host that other machines reach, and how to use the sandbox from another machine. */
export function explainHiddenSandbox(config: Config): string {
  const { HOST, PORT, PUBLIC_URL } = config;
  const ports = [PORT, chooseSandboxPort(config)].filter((port) => port > 0);
  const tunnels = ports.map((port) => `-L ${port}:${SANDBOX_HOST}:${port}`).join(' ');
  const machine = new URL(PUBLIC_URL).hostname;
  return `Sandbox and demo are off: HOST ${HOST} lets other machines in, and the sandbox has no password. To use them from your own machine, start with HOST=${SANDBOX_HOST} here and run there: ssh ${tunnels} you@${machine}\n`;
}

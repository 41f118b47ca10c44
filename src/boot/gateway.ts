/** Decides which gateway of the professional network the platform calls. */
import type { OperatorsGateway } from '../channels/operators-gateway.ts';
import type { Config } from '../config.ts';
import type { SandboxSecrets } from './sandbox.ts';

/** The sandbox takes the secrets of its Cloud API for its gateway as well. */
export function chooseGateway(
  { network, NETWORK_SENDS_PER_DAY: sendsPerDay }: Config,
  sandbox: ({ url: string } & SandboxSecrets) | null,
): OperatorsGateway | null {
  if (network) return { ...network, sendsPerDay };
  if (!sandbox) return null;
  const { url, verifyToken: apiKey, appSecret: hookSecret } = sandbox;
  return { url: `${url}/network`, apiKey, hookSecret, sendsPerDay };
}

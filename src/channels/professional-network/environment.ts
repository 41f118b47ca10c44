/** The gateway that the operator rents for all companies. */
import { integer, optional, url, type SettingValues } from '../../platform/values/setting-kinds.ts';

export const networkEnvironment = {
  settings: {
    NETWORK_API_URL: url('http:', 'https:'),
    NETWORK_API_KEY: optional,
    NETWORK_HOOK_SECRET: optional,
    // The advice for a paid account of LinkedIn is to stay below 100 invitations a day; messages to people one knows may be some more.
    NETWORK_SENDS_PER_DAY: integer(150, 2, 100_000),
  },
  together: {
    names: ['NETWORK_API_URL', 'NETWORK_API_KEY', 'NETWORK_HOOK_SECRET'],
    purpose: 'the professional network is reached',
  },
} as const;

export type NetworkSettings = typeof networkEnvironment.settings;

export interface OperatorsGateway {
  url: string;
  apiKey: string;
  /** What the gateway shows with each of its calls. */
  hookSecret: string;
}

/** Returns the gateway; null when the operator has none. */
export function readGateway(environment: SettingValues<NetworkSettings>): OperatorsGateway | null {
  const { NETWORK_API_URL: address, NETWORK_API_KEY: apiKey, NETWORK_HOOK_SECRET: hookSecret } = environment;
  return address && apiKey && hookSecret ? { url: address, apiKey, hookSecret } : null;
}

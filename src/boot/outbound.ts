/** Opens the clients for outgoing calls, and decides which addresses of this machine they may reach. */
import type { Config } from '../config.ts';
import { createOutbound, type Outbound } from '../platform/outbound.ts';

export interface OutboundClients {
  outbound: Outbound;
  /** Calls webhooks, which may be programs on this machine while the sandbox runs, because a developer's receiver is one. */
  toWebhooks: Pick<Outbound, 'tenant' | 'refuse'>;
  close(): Promise<void>;
}

const LOOPBACK = ['127.0.0.0/8', '::1'];

/** `sandboxUrl` is null when no sandbox runs. Of a sandbox only the places for webhooks and gateways can be called. */
export function openOutbound({ OUTBOUND_ALLOW }: Config, sandboxUrl: string | null): OutboundClients {
  const trusted = sandboxUrl === null ? [] : [`${sandboxUrl}/receiver`, `${sandboxUrl}/gateway`];
  const outbound = createOutbound({ allow: OUTBOUND_ALLOW, trusted });
  if (sandboxUrl === null) return { outbound, toWebhooks: outbound, close: outbound.close };
  const toWebhooks = createOutbound({ allow: [...OUTBOUND_ALLOW, ...LOOPBACK], trusted });
  return { outbound, toWebhooks, close: async () => void (await Promise.all([outbound.close(), toWebhooks.close()])) };
}

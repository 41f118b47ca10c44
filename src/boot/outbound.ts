/** Opens the clients for outgoing calls, and decides which addresses of this machine they may reach. */
import type { Config } from '../config.ts';
import { createOutbound, type Outbound } from '../platform/outside/outbound.ts';
import type { Sandbox } from './sandbox.ts';

export interface OutboundClients {
  outbound: Outbound;
  /** Calls webhooks, which may be programs on this machine while the sandbox runs, because a developer's receiver is one. */
  toWebhooks: Pick<Outbound, 'tenant' | 'refuse'>;
  close(): Promise<void>;
}

const LOOPBACK = ['127.0.0.0/8', '::1'];

/** Without a sandbox it is null. Of a sandbox only the places for webhooks and gateways can be called, and its mail servers. */
export function openOutbound(
  { OUTBOUND_ALLOW }: Config,
  sandbox: Pick<Sandbox, 'url' | 'mail'> | null,
): OutboundClients {
  const trusted = sandbox ? [`${sandbox.url}/receiver`, `${sandbox.url}/gateway`] : [];
  const mailServers = sandbox ? [sandbox.mail.smtp_url, sandbox.mail.imap_url] : [];
  const outbound = createOutbound({ allow: OUTBOUND_ALLOW, trusted, mailServers });
  if (!sandbox) return { outbound, toWebhooks: outbound, close: outbound.close };
  const toWebhooks = createOutbound({ allow: [...OUTBOUND_ALLOW, ...LOOPBACK], trusted });
  return { outbound, toWebhooks, close: async () => void (await Promise.all([outbound.close(), toWebhooks.close()])) };
}

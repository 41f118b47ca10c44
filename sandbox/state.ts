import { createGateway, type GatewayState } from './gateway/state.ts';
import { createGraph, type GraphState } from './graph-state.ts';
import type { Listeners } from './live.ts';
import { closeMailboxes, createMail, type MailServers, type MailState } from './mail/state.ts';
import { createNetwork, type NetworkState } from './network/state.ts';
import { createReceiver, type Receiver } from './receiver.ts';

export type Config = {
  host: string;
  port: number;
  callbackUrl: string | null;
  appSecret: string;
  verifyToken: string;
  /** True when every id and token is accepted, because no account was registered. */
  open: boolean;
};

/** The state of the sandbox: one part for each fake network, and what the networks share. */
export type Sandbox = {
  config: Config;
  /** The address on which the sandbox listens, without a slash at the end. */
  url: string;
  graph: GraphState;
  gateway: GatewayState;
  network: NetworkState;
  mail: MailState;
  /** How the platform reaches the mail servers; null before they listen. */
  mailServers: MailServers | null;
  receiver: Receiver;
  listeners: Listeners;
  /** The number of resets. A timer that was started in an earlier generation does nothing. */
  generation: number;
};

export const createSandbox = (config: Config): Sandbox => ({
  config,
  url: '',
  graph: createGraph(config.open, config.callbackUrl),
  gateway: createGateway(),
  network: createNetwork(),
  mail: createMail(),
  mailServers: null,
  receiver: createReceiver(),
  listeners: new Map(),
  generation: 0,
});

/**
 * Restores the initial state: settings, accounts and templates. Everything stored, pending statuses and retries are dropped. The callback
 * address and the web chat stay, because the platform sets them only once, when it starts.
 */
export function resetSandbox(sandbox: Sandbox): void {
  const { config, graph, receiver } = sandbox;
  sandbox.generation += 1;
  // The old notifier finishes the posts that it has begun and then finds its queue empty.
  graph.notifier.queue.length = 0;
  sandbox.graph = createGraph(config.open, graph.settings.callback_url, graph);
  sandbox.gateway = createGateway();
  sandbox.network = createNetwork();
  closeMailboxes(sandbox.mail);
  sandbox.mail = createMail(sandbox.mail);
  sandbox.receiver = createReceiver(receiver);
}

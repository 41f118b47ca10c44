import { createGraph, type Graph } from './graph-state.ts';
import type { Listeners } from './live.ts';
import { createReceiver, type Receiver } from './receiver.ts';

export type Config = {
  host: string;
  port: number;
  callbackUrl: string | null;
  appSecret: string;
  verifyToken: string;
  /** Whether every id and token is accepted, because no account was registered. */
  open: boolean;
};

/** The state of the sandbox: one piece for each fake network, and what the networks share. */
export type Sandbox = {
  config: Config;
  /** The address on which the sandbox listens, without a slash at the end. */
  url: string;
  graph: Graph;
  receiver: Receiver;
  listeners: Listeners;
  /** Counts resets; a timer of an earlier generation does nothing. */
  generation: number;
};

export const createSandbox = (config: Config): Sandbox => ({
  config,
  url: '',
  graph: createGraph(config.open, config.callbackUrl),
  receiver: createReceiver(),
  listeners: new Map(),
  generation: 0,
});

/**
 * Restores the initial state: settings, accounts, templates and everything stored; pending statuses and retries are dropped. The callback
 * address stays, because the platform sets it only once, when it starts.
 */
export function resetSandbox(sandbox: Sandbox): void {
  const { config, graph, receiver } = sandbox;
  sandbox.generation += 1;
  // The old notifier finishes the posts that it has begun and then finds an empty queue.
  graph.notifier.queue.length = 0;
  sandbox.graph = createGraph(config.open, graph.settings.callback_url, graph);
  sandbox.receiver = createReceiver(receiver);
}

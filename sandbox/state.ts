import type { ServerResponse } from 'node:http';
import { createAccounts, type Accounts } from './accounts.ts';
import type { Json } from './exchange.ts';
import { createMediaStore, type MediaStore } from './media.ts';
import { createNotifier, type Notifier } from './notifier.ts';
import { createReceiver, type Receiver } from './receiver.ts';
import { clear, createRing, type Ring } from './ring.ts';
import { defaultSettings, type Settings } from './settings.ts';
import { createCatalogue, type Catalogue } from './templates.ts';

export type Config = {
  host: string;
  port: number;
  callbackUrl: string | null;
  appSecret: string;
  verifyToken: string;
  /** Whether every id and token is accepted, because no account was registered. */
  open: boolean;
};

export type StatusName = 'accepted' | 'sent' | 'delivered' | 'read' | 'failed';

/** A message that the company sent through the fake API. */
export type SentMessage = {
  seq: number;
  id: string;
  phone_number_id: string;
  waba_id: string;
  /** The recipient's digits as given, or the BSUID. */
  to: string;
  wa_id: string;
  type: string;
  body: Json;
  status: StatusName;
  states: { status: StatusName; at: string }[];
  errors?: Json[];
  /** The text of a template with its parameters filled in, for the phone page. */
  preview?: Json;
  biz_opaque_callback_data?: string;
  /** The stored copy of a linked file, for the phone page. */
  media_id?: string;
  created_at: string;
};

/** A message that a contact wrote, from the phone page or the control API. */
export type InboundMessage = {
  seq: number;
  id: string;
  phone_number_id: string;
  from: string;
  name: string;
  message: Json;
  /** Whether the platform accepted the notification at the last try; null until the first try has ended. */
  delivered: boolean | null;
  read: boolean;
  created_at: string;
};

type Stats = {
  sends: number;
  refused: number;
  reads: number;
  inbound: number;
  notifications_posted: number;
  notifications_delivered: number;
  notifications_retried: number;
  notifications_given_up: number;
  notifications_without_callback: number;
};

export type Sandbox = {
  config: Config;
  /** The address on which the sandbox listens, without a slash at the end. */
  url: string;
  settings: Settings;
  accounts: Accounts;
  sent: Ring<SentMessage>;
  sentById: Map<string, SentMessage>;
  inbound: Ring<InboundMessage>;
  inboundById: Map<string, InboundMessage>;
  /** When each contact last wrote, by `phone_number_id/contact`, for the 24-hour window. */
  lastInboundAt: Map<string, number>;
  catalogue: Catalogue;
  media: MediaStore;
  notifier: Notifier;
  receiver: Receiver;
  listeners: Map<ServerResponse, string>;
  stats: Stats;
  /** Counts resets; a timer of an earlier generation does nothing. */
  generation: number;
};

// At about 1 kB each these take 50 MB and 5 MB: more than any test reads, and little for a laptop.
const SENT_KEPT = 50_000;
const INBOUND_KEPT = 5_000;

const zeroStats = (): Stats => ({
  sends: 0,
  refused: 0,
  reads: 0,
  inbound: 0,
  notifications_posted: 0,
  notifications_delivered: 0,
  notifications_retried: 0,
  notifications_given_up: 0,
  notifications_without_callback: 0,
});

export function createSandbox(config: Config): Sandbox {
  const settings = defaultSettings(config.callbackUrl);
  return {
    config,
    url: '',
    settings,
    accounts: createAccounts(config.open),
    sent: createRing(SENT_KEPT),
    sentById: new Map(),
    inbound: createRing(INBOUND_KEPT),
    inboundById: new Map(),
    lastInboundAt: new Map(),
    catalogue: createCatalogue(),
    media: createMediaStore(),
    notifier: createNotifier(settings.seed),
    receiver: createReceiver(),
    listeners: new Map(),
    stats: zeroStats(),
    generation: 0,
  };
}

/**
 * Restores the initial state: settings, accounts, templates and everything stored; pending statuses and retries are dropped. The callback
 * address stays, because the platform sets it only once, when it starts.
 */
export function resetSandbox(sandbox: Sandbox): void {
  sandbox.generation += 1;
  sandbox.settings = defaultSettings(sandbox.settings.callback_url);
  sandbox.accounts = createAccounts(sandbox.config.open);
  clear(sandbox.sent);
  clear(sandbox.inbound);
  clear(sandbox.receiver.deliveries);
  sandbox.sentById.clear();
  sandbox.inboundById.clear();
  sandbox.lastInboundAt.clear();
  sandbox.catalogue = createCatalogue();
  sandbox.media = createMediaStore();
  // The old notifier finishes the posts that it has begun and then finds an empty queue.
  sandbox.notifier.queue.length = 0;
  sandbox.notifier = createNotifier(sandbox.settings.seed);
  sandbox.receiver = { ...createReceiver(), deliveries: sandbox.receiver.deliveries };
  sandbox.stats = zeroStats();
}

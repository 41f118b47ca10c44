import type { HistoryMessage } from './history.ts';
import { createAccounts, type Accounts } from './accounts.ts';
import type { Json } from './exchange.ts';
import { createMediaStore, type MediaStore } from './media.ts';
import { createNotifier, type Notifier } from './notification-queue.ts';
import { createRing, type Ring } from './ring.ts';
import { defaultSettings, type Settings } from './settings.ts';
import { TEMPLATE_SEEDS } from './template-seeds.ts';
import { createCatalogue, type Catalogue } from './templates.ts';

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

const ZERO_STATS = {
  sends: 0,
  refused: 0,
  reads: 0,
  typings: 0,
  uploads: 0,
  inbound: 0,
  notifications_posted: 0,
  notifications_delivered: 0,
  notifications_retried: 0,
  notifications_given_up: 0,
  notifications_without_callback: 0,
};

/** The state of the fake Graph API. */
export type GraphState = {
  settings: Settings;
  accounts: Accounts;
  sent: Ring<SentMessage>;
  sentById: Map<string, SentMessage>;
  inbound: Ring<InboundMessage>;
  /** What the phones showed before this process was started, as the platform has stored it. */
  history: HistoryMessage[];
  inboundById: Map<string, InboundMessage>;
  /** The time when each contact last wrote, by `phone_number_id/contact`, for the 24-hour window. */
  lastInboundAt: Map<string, number>;
  catalogue: Catalogue;
  media: MediaStore;
  notifier: Notifier;
  stats: typeof ZERO_STATS;
};

// Messages take about 1 kB each, so these take 50 MB and 5 MB: more messages than any test reads, and little memory for a laptop.
const SENT_KEPT = 50_000;
const INBOUND_KEPT = 5_000;

/** Creates the state. For `open` see Config. After a reset, messages are numbered after those of the state `before`. */
export function createGraph(open: boolean, callbackUrl: string | null, before?: GraphState): GraphState {
  const settings = defaultSettings(callbackUrl, before?.settings.chat);
  return {
    settings,
    accounts: createAccounts(open),
    sent: createRing(SENT_KEPT, before?.sent),
    sentById: new Map(),
    inbound: createRing(INBOUND_KEPT, before?.inbound),
    inboundById: new Map(),
    history: [],
    lastInboundAt: new Map(),
    catalogue: createCatalogue(TEMPLATE_SEEDS),
    media: createMediaStore(),
    notifier: createNotifier(settings.seed),
    stats: { ...ZERO_STATS },
  };
}

import { isDemoChat, type DemoChat } from './demo.ts';
import { getOwnProperty } from './exchange.ts';
import { isLoopbackUrl } from './loopback.ts';

type Status = 'sent' | 'delivered' | 'read';

/** A fault of calls. `times` counts down to zero; null means until the settings change. `to` limits the fault to one recipient (digits). */
export type Fault = { times: number | null; to?: string } & (
  | { code: number; http_status?: number; message?: string }
  | {
      kind:
        | 'hang'
        | 'hang_after_accept'
        | 'reset'
        | 'reset_after_accept'
        | 'http_500'
        | 'not_json'
        | 'slow'
        | 'slow_after_accept';
      ms?: number;
    }
);

/** A fault of the download of a file, beside the faults that every call can have. */
export type DownloadFault = { times: number | null; to?: string } & (
  | { kind: 'expired' | 'altered' | 'shortened' | 'cut' | 'endless' }
  | { kind: 'redirect'; location: string }
  | { kind: 'drip'; ms?: number }
);

export type FaultPlace =
  | 'send'
  | 'templates'
  | 'media'
  | 'media_address'
  | 'phone'
  | 'subscribed_apps'
  | 'smb_app_data';

type FailStatus = { code: number; title?: string; message?: string; details?: string; times: number | null };

export type Settings = {
  callback_url: string | null;
  /** The web chat that the demo shop shows. */
  chat: DemoChat | null;
  status_delays_ms: Record<Status, number | null>;
  faults: Record<FaultPlace, Fault[]> & { download: (Fault | DownloadFault)[] };
  /** The number of additional posts of each notification. */
  duplicates: number;
  /** Each notification waits for a random time of at most this many milliseconds, so that some overtake others. */
  shuffle: number;
  seed: number;
  /** The most elements in one POST. */
  batch: number;
  /** How long an element waits for others when its batch is not full. */
  batch_wait_ms: number;
  wa_id_ninth_digit: 'keep' | 'drop';
  fail_status: FailStatus | null;
  enforce_window: boolean;
  window_ms: number;
  /** The allow-list of recipients of an unverified number (messages to others fail with 131030); null allows everyone. */
  allowed_recipients: string[] | null;
  /** When true, a webhook receives nothing before POST /{waba}/subscribed_apps, as on the real network. */
  require_subscription: boolean;
  /** The answer to an accepted template message: held_for_quality_assessment while the network does not send it yet. */
  template_message_status: 'accepted' | 'held_for_quality_assessment';
  /** How many people a business may write to in a day, as the network shows it: TIER_250, TIER_2K, TIER_UNLIMITED. */
  messaging_limit: string;
  signature: 'valid' | 'wrong' | 'missing';
  fetch_links: boolean;
  retry: { start_ms: number; max_ms: number; tries: number };
  concurrency: number;
  post_timeout_ms: number;
};

export function defaultSettings(callbackUrl: string | null, chat: DemoChat | null = null): Settings {
  return {
    callback_url: callbackUrl,
    chat,
    // The delays are short enough for a test, and long enough for a person to see the status change.
    status_delays_ms: { sent: 50, delivered: 200, read: 600 },
    faults: {
      send: [],
      templates: [],
      media: [],
      media_address: [],
      download: [],
      phone: [],
      subscribed_apps: [],
      smb_app_data: [],
    },
    duplicates: 0,
    shuffle: 0,
    seed: 1,
    batch: 1,
    // The network does not delay notifications for long either.
    batch_wait_ms: 20,
    wa_id_ninth_digit: 'keep',
    fail_status: null,
    enforce_window: false,
    window_ms: 86_400_000,
    allowed_recipients: null,
    require_subscription: false,
    template_message_status: 'accepted',
    messaging_limit: 'TIER_2K',
    signature: 'valid',
    fetch_links: true,
    // The network retries for days; a test lasts seconds.
    retry: { start_ms: 200, max_ms: 5_000, tries: 10 },
    concurrency: 16,
    post_timeout_ms: 10_000,
  };
}

const isCount = (value: unknown, min = 0): boolean => Number.isSafeInteger(value) && (value as number) >= min;
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTimes = (value: unknown): boolean => value === undefined || value === null || isCount(value, 1);

const FAULT_KINDS = new Set([
  'hang',
  'hang_after_accept',
  'reset',
  'reset_after_accept',
  'http_500',
  'not_json',
  'slow',
  'slow_after_accept',
]);

const DOWNLOAD_FAULT_KINDS = new Set(['expired', 'altered', 'shortened', 'cut', 'endless', 'redirect', 'drip']);

export const isDownloadFault = (fault: Fault | DownloadFault): fault is DownloadFault =>
  'kind' in fault && DOWNLOAD_FAULT_KINDS.has(fault.kind);

const isFault = (value: unknown): boolean =>
  isRecord(value) && isTimes(value['times']) && (isCount(value['code']) || FAULT_KINDS.has(String(value['kind'])));

const isValidDownloadFault = (value: unknown): boolean =>
  isRecord(value) &&
  isTimes(value['times']) &&
  DOWNLOAD_FAULT_KINDS.has(String(value['kind'])) &&
  (value['kind'] !== 'redirect' || typeof value['location'] === 'string');

const isFaults = (value: unknown): boolean =>
  isRecord(value) &&
  Object.entries(value).every(
    ([place, faults]) =>
      Object.hasOwn(DEFAULTS.faults, place) &&
      Array.isArray(faults) &&
      faults.every((fault) => isFault(fault) || (place === 'download' && isValidDownloadFault(fault))),
  );

const isPartialOf = (known: object, valid: (value: unknown) => boolean) => (value: unknown) =>
  isRecord(value) && Object.entries(value).every(([key, item]) => Object.hasOwn(known, key) && valid(item));

const DEFAULTS = defaultSettings(null);

const RULES: Record<keyof Settings, (value: unknown) => boolean> = {
  callback_url: (value) => value === null || (typeof value === 'string' && isLoopbackUrl(value)),
  chat: (value) => value === null || isDemoChat(value),
  status_delays_ms: isPartialOf(DEFAULTS.status_delays_ms, (value) => value === null || isCount(value)),
  faults: isFaults,
  duplicates: (value) => isCount(value),
  shuffle: (value) => isCount(value),
  seed: (value) => isCount(value),
  batch: (value) => isCount(value, 1),
  batch_wait_ms: (value) => isCount(value),
  wa_id_ninth_digit: (value) => value === 'keep' || value === 'drop',
  fail_status: (value) => value === null || (isRecord(value) && isCount(value['code']) && isTimes(value['times'])),
  enforce_window: isFlag,
  window_ms: (value) => isCount(value, 1),
  allowed_recipients: (value) =>
    value === null || (Array.isArray(value) && value.every((item) => typeof item === 'string')),
  require_subscription: isFlag,
  template_message_status: (value) => value === 'accepted' || value === 'held_for_quality_assessment',
  messaging_limit: (value) => typeof value === 'string' && /^(TIER_)?(-?\d{1,9}K?|UNLIMITED)$/.test(value),
  signature: (value) => value === 'valid' || value === 'wrong' || value === 'missing',
  fetch_links: isFlag,
  retry: isPartialOf(DEFAULTS.retry, (value) => isCount(value, 1)),
  concurrency: (value) => isCount(value, 1),
  post_timeout_ms: (value) => isCount(value, 1),
};

/** Validates a partial change and returns the new settings, or a sentence that says what is wrong. */
export function changeSettings(current: Settings, change: unknown): Settings | string {
  if (!isRecord(change)) return 'The body must be a JSON object of settings.';
  for (const [key, value] of Object.entries(change)) {
    const rule = getOwnProperty<(value: unknown) => boolean>(RULES, key);
    if (rule === undefined) return `There is no setting ${key}.`;
    if (!rule(value)) return `The setting ${key} does not accept this value (addresses must be loopback ones).`;
  }
  const next = { ...current, ...(change as Partial<Settings>) };
  next.status_delays_ms = { ...current.status_delays_ms, ...next.status_delays_ms };
  next.retry = { ...current.retry, ...next.retry };
  next.faults = { ...current.faults, ...next.faults };
  // Faults are copied, because their `times` is counted down in place.
  next.faults = Object.fromEntries(
    Object.entries(next.faults).map(([place, faults]) => [
      place,
      faults.map((fault) => ({ ...fault, times: withDefaultTimes(fault.times) })),
    ]),
  ) as Settings['faults'];
  if (next.fail_status !== null)
    next.fail_status = { ...next.fail_status, times: withDefaultTimes(next.fail_status.times) };
  return next;
}

const withDefaultTimes = (times: number | null | undefined): number | null => (times === undefined ? 1 : times);

/** Returns the fault for the next call at this place; each call uses up one of the fault's times. */
export const takeFault = (settings: Settings, place: FaultPlace, to?: string): Fault | undefined =>
  takeFrom(settings.faults[place], to);

/** Returns the fault for the next download; each download uses up one of the fault's times. */
export const takeDownloadFault = (settings: Settings): Fault | DownloadFault | undefined =>
  takeFrom(settings.faults.download);

function takeFrom<F extends Fault | DownloadFault>(list: F[], to?: string): F | undefined {
  if (list.length === 0) return undefined;
  const index = list.findIndex((fault) => fault.to === undefined || fault.to === to);
  const fault = list[index];
  if (fault === undefined || fault.times === null) return fault;
  fault.times -= 1;
  if (fault.times <= 0) list.splice(index, 1);
  return fault;
}

/** Returns the failure of the next accepted message, if the settings have one; each message uses up one of its times. */
export function takeFailStatus(settings: Settings): FailStatus | undefined {
  const failure = settings.fail_status;
  if (failure === null) return undefined;
  if (failure.times !== null) {
    failure.times -= 1;
    if (failure.times <= 0) settings.fail_status = null;
  }
  return failure;
}

import { findCallbackAddress, type Account } from './accounts.ts';
import { publishItem } from './phone/phone.ts';
import { notify } from './notifier.ts';
import { takeFailStatus } from './settings.ts';
import { findErrorTitle } from './graph-errors.ts';
import type { Json } from './exchange.ts';
import type { SentMessage, StatusName } from './graph-state.ts';
import type { Sandbox } from './state.ts';

type Failure = { code: number; title?: string; message?: string; details?: string };

const RANK: Record<StatusName, number> = { accepted: 0, sent: 1, delivered: 2, read: 3, failed: 4 };

/** Schedules the statuses of an accepted message: sent, delivered and read; or failed, for a `failure` or when the settings demand it. */
export function scheduleStatuses(sandbox: Sandbox, account: Account, message: SentMessage, failure?: Failure): void {
  const delays = sandbox.graph.settings.status_delays_ms;
  const failed = failure ?? takeFailStatus(sandbox.graph.settings);
  if (failed !== undefined) {
    runLater(sandbox, delays.sent ?? 0, () =>
      applyStatus(sandbox, account, message, { status: 'failed', failure: failed }),
    );
    return;
  }
  // The network reports only that a reaction was sent, and nothing after that.
  const names = message.type === 'reaction' ? (['sent'] as const) : (['sent', 'delivered', 'read'] as const);
  for (const status of names) {
    const delayMs = delays[status];
    if (delayMs !== null) runLater(sandbox, delayMs, () => applyStatus(sandbox, account, message, { status }));
  }
}

function runLater(sandbox: Sandbox, delayMs: number, run: () => void): void {
  const { generation } = sandbox;
  setTimeout(() => generation === sandbox.generation && run(), delayMs).unref();
}

type StatusChange = { status: StatusName; failure?: Failure };

/** The person reads the message, whatever the settings say. */
export const reportRead = (sandbox: Sandbox, account: Account, message: SentMessage): void =>
  applyStatus(sandbox, account, message, { status: 'read' });

/** Shows a new or changed message of the company on the pages. */
export function showSent(sandbox: Sandbox, message: SentMessage): void {
  const place = { network: 'whatsapp', account: message.phone_number_id, contact: message.wa_id || message.to };
  publishItem(sandbox, place, () => ({ direction: 'in', ...message }));
}

/** Updates the message's status and notifies the webhook and the phone page. */
function applyStatus(
  sandbox: Sandbox,
  account: Account,
  message: SentMessage,
  { status, failure }: StatusChange,
): void {
  const now = new Date();
  if (RANK[status] > RANK[message.status]) message.status = status;
  message.states.push({ status, at: now.toISOString() });
  if (failure !== undefined) message.errors = [describeFailure(failure)];
  showSent(sandbox, message);
  if (sandbox.graph.settings.require_subscription && !sandbox.graph.accounts.subscribed.has(account.waba_id)) return;
  notify(sandbox, {
    account,
    target: findCallbackAddress(sandbox.graph.accounts, account, sandbox.graph.settings.callback_url),
    kind: 'statuses',
    item: describeStatus(message, status, now),
  });
}

function describeStatus(message: SentMessage, status: StatusName, now: Date): Json {
  const isUserId = message.wa_id === '';
  return {
    id: message.id,
    status,
    timestamp: String(Math.floor(now.getTime() / 1_000)),
    ...(isUserId ? { recipient_user_id: message.to } : { recipient_id: message.wa_id }),
    ...(message.biz_opaque_callback_data === undefined
      ? {}
      : { biz_opaque_callback_data: message.biz_opaque_callback_data }),
    ...(status === 'failed' ? { errors: message.errors } : { pricing: buildPricing(message) }),
  };
}

const buildPricing = (message: SentMessage): Json => {
  const isTemplate = message.type === 'template';
  return {
    billable: isTemplate,
    pricing_model: 'PMP',
    category: isTemplate ? 'utility' : 'service',
    type: isTemplate ? 'regular' : 'free_customer_service',
  };
};

const describeFailure = ({ code, title, message, details }: Failure): Json => ({
  code,
  title: title ?? findErrorTitle(code),
  message: message ?? title ?? findErrorTitle(code),
  error_data: { details: details ?? message ?? findErrorTitle(code) },
  href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
});

/** How the network rates a number: its quality, whether it may send, and the limit of its business. */
import { findAccount, findCallbackAddress, type Account } from './accounts.ts';
import { escapeLikeMeta } from './envelope.ts';
import { toText, type Json } from './exchange.ts';
import { postBody } from './notifier.ts';
import type { Sandbox } from './state.ts';

const QUALITIES = ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'];
const SENDING = ['AVAILABLE', 'LIMITED', 'BLOCKED'];

/** The field `health_status` of a number. What the network limits or blocks in this sandbox is the account of the number. */
export function describeHealth({ phone_number_id, waba_id, can_send_message }: Account): Json {
  const errors = [
    {
      error_code: 141010,
      error_description: 'The account has violated a policy of the network.',
      possible_solution: 'Ask for a review in the manager of the account.',
    },
  ];
  const isRestricted = can_send_message !== 'AVAILABLE';
  return {
    can_send_message,
    entities: [
      { entity_type: 'PHONE_NUMBER', id: phone_number_id, can_send_message: 'AVAILABLE' },
      { entity_type: 'WABA', id: waba_id, can_send_message, ...(isRestricted && { errors }) },
    ],
  };
}

/** Changes how the network rates a number; with `notify` its webhook is told. Returns an error sentence when a field is not valid. */
export function changeStanding(sandbox: Sandbox, change: Json): Account | string {
  const { graph } = sandbox;
  const account = findAccount(graph.accounts, toText(change['phone_number_id']) ?? '100000000000001');
  if (!account) return 'There is no such number.';
  const { quality_rating = account.quality_rating, can_send_message = account.can_send_message } = change;
  if (typeof quality_rating !== 'string' || !QUALITIES.includes(quality_rating))
    return `quality_rating must be one of ${QUALITIES.join(', ')}.`;
  if (typeof can_send_message !== 'string' || !SENDING.includes(can_send_message))
    return `can_send_message must be one of ${SENDING.join(', ')}.`;
  const changed = { ...account, quality_rating, can_send_message };
  graph.accounts.byPhone.set(changed.phone_number_id, changed);
  if (change['notify'] === true) notifyStanding(sandbox, changed, change);
  return changed;
}

function notifyStanding(sandbox: Sandbox, account: Account, change: Json): void {
  const { waba_id, display_phone_number, quality_rating, can_send_message } = account;
  const { accounts, settings } = sandbox.graph;
  const changes: Json[] = [];
  if (change['quality_rating'] !== undefined) {
    // The network names the number by its digits, and does not say the rating.
    const event = quality_rating === 'RED' ? 'FLAGGED' : 'UNFLAGGED';
    const value = {
      display_phone_number: display_phone_number.replace(/\D/g, ''),
      event,
      current_limit: settings.messaging_limit,
    };
    changes.push({ field: 'phone_number_quality_update', value });
  }
  if (change['can_send_message'] !== undefined) {
    const restriction = { restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING' }] };
    const event = can_send_message === 'AVAILABLE' ? 'ACCOUNT_UPDATE' : 'ACCOUNT_RESTRICTION';
    changes.push({ field: 'account_update', value: { event, ...(event === 'ACCOUNT_RESTRICTION' && restriction) } });
  }
  if (changes.length === 0) return;
  const entry = [{ id: waba_id, time: Math.floor(Date.now() / 1_000), changes }];
  const target = findCallbackAddress(accounts, account, settings.callback_url);
  postBody(sandbox, target, Buffer.from(escapeLikeMeta({ object: 'whatsapp_business_account', entry })));
}

/** Asks for the contacts and the old messages of a phone that shares its number with the Cloud API, and reads how far they have come. */
import { clipText } from '../../platform/values/words.ts';
import type { InboundHistory, SyncedPart } from '../phone-sync.ts';
import { asNumber, asRecord } from '../values.ts';
import { findOverload, networkError, refusesCredentials, retryRule } from './errors.ts';
import { describeFailure, type Graph } from './graph.ts';
import type { WapConfig } from './settings.ts';

const SYNC_TYPES: Record<SyncedPart, string> = { contacts: 'smb_app_state_sync', messages: 'history' };

/** The network's code for too many calls of one of its features. */
const FEATURE_RATE = 613;

/** True for refusals that end by themselves, or once a person has replaced the token. */
const passes = (code: number | string): boolean =>
  retryRule(code) !== 'no' || findOverload(code) !== null || refusesCredentials(code) || code === FEATURE_RATE;

export async function requestSync(
  graph: Graph,
  part: SyncedPart,
  { config, signal }: { config: WapConfig; signal: AbortSignal },
): Promise<string | null> {
  const { phone_number_id: number, business_token: token } = config;
  const body = { messaging_product: 'whatsapp', sync_type: SYNC_TYPES[part] };
  const answer = await graph({ method: 'POST', path: [number, 'smb_app_data'], body, token, signal });
  if (answer.outcome === 'done') return null;
  const sentence = describeFailure(answer);
  if (answer.outcome === 'refused' && answer.network && !passes(answer.error.code)) return sentence;
  throw new Error(sentence);
}

/** The longest cause that is shown; those of the network are below 300 characters. */
const MAX_SENTENCE = 500;

/** The error code by which the network reports that the business does not share its history; this is not a failure. */
const HISTORY_DECLINED = 2593109;
const isDeclined = (error: unknown): boolean => networkError(error).code === HISTORY_DECLINED;

/** True when all of these errors only say that the business does not share its history. */
export const areDeclined = (errors: unknown): boolean => Array.isArray(errors) && errors.every(isDeclined);

/** Reads errors in the place of messages; null when there is none in the list. */
export function readHistoryErrors(address: string, errors: unknown): InboundHistory | null {
  if (Array.isArray(errors) && errors.length === 0) return null;
  if (areDeclined(errors)) return { kind: 'history', address, status: 'DECLINED', progress: null, error: null };
  const { code, title, message } = networkError(Array.isArray(errors) ? errors[0] : errors);
  const cause = clipText(message || title, MAX_SENTENCE) || 'no cause given';
  const error = `The network could not send the history: ${cause} (code ${code}).`;
  return { kind: 'history', address, status: 'FAILED', progress: null, error };
}

/** Reads how much of the history the network has sent with this chunk; null when the chunk does not say it. */
export function readProgress(address: string, metadata: unknown): InboundHistory | null {
  const progress = asNumber(asRecord(metadata)?.progress);
  if (progress === null) return null;
  const percent = Math.trunc(Math.min(Math.max(progress, 0), 100));
  return { kind: 'history', address, status: 'RECEIVING', progress: percent, error: null };
}

import { answer, toObject, toText, type Answer, type Json } from './exchange.ts';
import { makeErrorAnswer, type GraphFailure } from './graph-errors.ts';
import { isLoopbackUrl } from './loopback.ts';
import { verifyCallback } from './notifier.ts';
import type { Sandbox } from './state.ts';

const APP = {
  id: '400000000000001',
  name: 'Parley sandbox',
  link: 'https://www.facebook.com/games/?app_id=400000000000001',
};

function describeSubscriptions(sandbox: Sandbox, wabaId: string): Json[] {
  if (!sandbox.graph.accounts.subscribed.has(wabaId)) return [];
  const override = sandbox.graph.accounts.wabaOverride.get(wabaId);
  return [
    { whatsapp_business_api_data: APP, ...(override === undefined ? {} : { override_callback_uri: override.url }) },
  ];
}

/** Answers `GET /{waba}/subscribed_apps`. */
export const listSubscriptions = (sandbox: Sandbox, wabaId: string): Answer =>
  answer({ data: describeSubscriptions(sandbox, wabaId) });

/** Answers `POST /{waba}/subscribed_apps`, with or without a callback override, whose address must pass the handshake first. */
export async function subscribe(sandbox: Sandbox, wabaId: string, body: unknown): Promise<Answer> {
  const { override_callback_uri, verify_token } = toObject(body);
  const url = toText(override_callback_uri);
  if (url) {
    const override = { url, verify_token: toText(verify_token) ?? '' };
    const refusal = await checkOverride(sandbox, override);
    if (refusal !== undefined) return makeErrorAnswer(refusal);
    sandbox.graph.accounts.wabaOverride.set(wabaId, override);
  } else sandbox.graph.accounts.wabaOverride.delete(wabaId);
  sandbox.graph.accounts.subscribed.add(wabaId);
  return answer({ success: true, ...(url ? { data: describeSubscriptions(sandbox, wabaId) } : {}) });
}

/** Answers `DELETE /{waba}/subscribed_apps`. */
export function unsubscribe(sandbox: Sandbox, wabaId: string): Answer {
  sandbox.graph.accounts.subscribed.delete(wabaId);
  sandbox.graph.accounts.wabaOverride.delete(wabaId);
  return answer({ success: true });
}

/** Accepts a callback override only when it is on this machine and answers the verification challenge. */
export async function checkOverride(
  sandbox: Sandbox,
  { url, verify_token }: { url: string; verify_token: string },
): Promise<GraphFailure | undefined> {
  if (!isLoopbackUrl(url)) return { code: 100, details: 'The sandbox notifies addresses on this machine only.' };
  // Notifications to the sandbox itself would reach its control API, so such an address is refused.
  if (new URL(url).port === new URL(sandbox.url).port)
    return { code: 100, details: 'The sandbox does not notify itself.' };
  if (await verifyCallback(sandbox, url, verify_token)) return undefined;
  return {
    code: 2200,
    message: '(#2200) Callback verification failed with the following errors: no matching challenge.',
  };
}

/** The calls about an instance of the gateway: its state, its webhook, and the QR code by which a phone is paired with it. */
import type { NetworkAccess } from '../channel.ts';
import type { Callback, CheckResult, Pairing } from '../check.ts';
import { asLabel, asRecord, asText, type Json } from '../values.ts';
import { describeFailure, type FailedCall } from '../gateway.ts';
import { callGateway, refusesCredentials, type GatewayCall } from './gateway.ts';
import { EVENTS } from './parse.ts';
import { findTemplateAccount } from './templates.ts';

type Network = Pick<NetworkAccess, 'outbound'>;
type Calling = Pick<GatewayCall, 'config' | 'signal'>;

/** The header in which the gateway shows the inbox's token with each event. */
export const SECRET_HEADER = 'x-hook-secret';

/** The webhook is set before the phone is paired, so that the first message arrives. */
export async function checkInstance(
  network: Network,
  calling: Calling,
  callback: Callback | null,
): Promise<CheckResult> {
  const state = await callGateway(network, { method: 'GET', path: 'instance/connectionState', ...calling });
  if (state.outcome !== 'done') return toCheckFailure(state);
  if (callback !== null && callback.url !== null) {
    const set = await callGateway(network, {
      method: 'POST',
      path: 'webhook/set',
      body: describeWebhook(callback.url, callback.verifyToken),
      ...calling,
    });
    if (set.outcome !== 'done') return toCheckFailure(set);
  }
  switch (readState(state.body)) {
    case 'open':
      return connected(await findTemplateAccount(network, calling));
    case 'connecting':
      return { ok: false, error: 'The instance is being connected to a phone.', retry: true };
    case null:
      return { ok: false, error: 'The gateway did not report the state of the instance.', retry: true };
    default:
      return { ok: false, error: 'No phone is connected to the instance. Pair one with its QR code.', retry: false };
  }
}

const connected = (account: string | null | undefined): CheckResult => ({
  ok: true,
  coexistence: true,
  ...(account !== undefined && { account }),
});

/** Files do not come with their messages: they could be larger than a callback may be, and the message would be lost with them. */
const describeWebhook = (url: string, secret: string): Json => ({
  webhook: { enabled: true, url, byEvents: false, base64: false, headers: { [SECRET_HEADER]: secret }, events: EVENTS },
});

const readState = (body: Json): string | null => asText(asRecord(body.instance)?.state);

function toCheckFailure(answer: FailedCall): CheckResult {
  // A bad key, an unknown instance, and a refused webhook are for a person to correct.
  const isFinal = answer.outcome === 'refused' && (answer.network || refusesCredentials(answer.error.code));
  return { ok: false, error: describeFailure(answer), retry: !isFinal };
}

/** The form of a picture in the gateway's answer. */
const PICTURE = /^data:image\/(?:png|jpeg);base64,[A-Za-z0-9+/=]{1,200000}$/;
/** A code that is typed into the phone instead of the QR code. */
const PAIRING_CODE = /^[A-Za-z0-9-]{4,20}$/;

/** Begins the pairing where none has begun, and returns the present code. The gateway makes a new one some times a minute. */
export async function pairInstance(network: Network, calling: Calling): Promise<Pairing> {
  const answer = await callGateway(network, { method: 'GET', path: 'instance/connect', ...calling });
  if (answer.outcome !== 'done') return { state: 'FAILED', error: describeFailure(answer) };
  if (answer.body.error === true)
    return {
      state: 'FAILED',
      error: `The gateway made no code: ${asLabel(answer.body.message) ?? 'it gave no cause'}`,
    };
  if (readState(answer.body) === 'open') return { state: 'CONNECTED' };
  const code = asRecord(answer.body.qrcode) ?? answer.body;
  const [picture, typed] = [asText(code.base64) ?? '', asText(code.pairingCode) ?? ''];
  return {
    state: 'WAITING',
    picture: PICTURE.test(picture) ? picture : null,
    code: PAIRING_CODE.test(typed) ? typed : null,
  };
}

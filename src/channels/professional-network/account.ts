/** The calls about an account: its state, the webhooks through which the gateway reports, and the link to the network's own log-in. */
import { createHmac } from 'node:crypto';
import type { Callback, CheckResult } from '../check.ts';
import { describeFailure, type FailedCall } from '../gateway.ts';
import type { LoggedIn, LogInLink, LogInNotice, LogInRequest } from '../log-in.ts';
import { asDate, asIdentifier, asLabel, asList, asRecord, asText, type Json } from '../values.ts';
import type { OperatorsGateway } from './environment.ts';
import { callGateway, readServer, refusesCredentials, type Network } from './gateway.ts';
import { EVENTS } from './parse.ts';
import { toError } from './send.ts';
import type { NetworkConfig } from './settings.ts';

/** The header in which the gateway shows the installation's secret with each event. */
export const SECRET_HEADER = 'x-hook-secret';
const CONNECTED: CheckResult = { ok: true, coexistence: true };
/** A state in which the gateway is still at work. */
const PASSING = ['CONNECTING', 'CREATION_SUCCESS', 'RECONNECTED', 'SYNC_SUCCESS'];

export async function checkAccount(
  network: Network,
  { config, signal }: { config: NetworkConfig; signal: AbortSignal },
  callback: Callback | null,
): Promise<CheckResult> {
  const answer = await callGateway(network, { method: 'GET', path: ['accounts', config.account_id], signal });
  if (answer.outcome !== 'done') return toCheckFailure(answer);
  if (callback?.url && network.gateway) {
    const failed = await tellWebhooks(network, network.gateway, callback.url, signal);
    if (failed) return toCheckFailure(failed);
  }
  const states = asList(answer.body.sources).map((source) => asText(asRecord(source)?.status) ?? 'ERROR');
  const state = states.find((each) => each !== 'OK') ?? (states.length > 0 ? 'OK' : 'ERROR');
  if (state === 'OK') return CONNECTED;
  if (PASSING.includes(state)) return { ok: false, error: 'The account is being connected.', retry: true };
  return { ok: false, error: `The account must log in again (${state.slice(0, 100)}).`, retry: false };
}

function toCheckFailure(answer: FailedCall): CheckResult {
  // An account that is gone, a bad key and a refused webhook are for a person to correct.
  const isFinal = answer.outcome === 'refused' && (answer.network || refusesCredentials(answer.error.code));
  return { ok: false, error: describeFailure(answer), retry: !isFinal };
}

const SOURCES = [
  { source: 'messaging', events: EVENTS },
  { source: 'account_status', events: null },
] as const;
/** The webhooks of a gateway in one page. An installation has two, and its gateway seldom another one. */
const PAGE = '250';

/**
 * Makes the webhooks that the gateway does not have yet, and removes those that an earlier release or secret made for this address. Their
 * names tell them apart. Returns the call that failed.
 */
async function tellWebhooks(
  network: Network,
  gateway: OperatorsGateway,
  url: string,
  signal: AbortSignal,
): Promise<FailedCall | null> {
  const listed = await callGateway(network, { method: 'GET', path: ['webhooks'], query: { limit: PAGE }, signal });
  if (listed.outcome !== 'done') return listed;
  const own = asList(listed.body.items)
    .map(asRecord)
    .filter((hook) => hook !== null)
    .filter((hook) => hook.request_url === url && asText(hook.name)?.startsWith('parley '));
  const kept = new Set<Json>();
  for (const { source, events } of SOURCES) {
    const body = describeWebhook({ url, source, events }, gateway);
    const present = own.find(({ name }) => name === body.name);
    if (present) kept.add(present);
    const made = present ? null : await callGateway(network, { method: 'POST', path: ['webhooks'], body, signal });
    if (made && made.outcome !== 'done') return made;
  }
  for (const hook of own) {
    const id = asIdentifier(hook.id ?? hook.webhook_id);
    // Failure policy: a webhook that stays only reports what is known already; the next check removes it.
    if (!kept.has(hook) && id !== null)
      await callGateway(network, { method: 'DELETE', path: ['webhooks', id], signal });
  }
  return null;
}

function describeWebhook(
  { url, source, events }: { url: string; source: string; events: readonly string[] | null },
  { hookSecret }: OperatorsGateway,
): Json & { name: string } {
  const told = { request_url: url, source, format: 'json', enabled: true, ...(events && { events }) };
  const mark = createHmac('sha256', hookSecret).update(JSON.stringify(told)).digest('hex').slice(0, 16);
  // The gateway sends no content type by itself.
  const headers = [
    { key: 'Content-Type', value: 'application/json' },
    { key: SECRET_HEADER, value: hookSecret },
  ];
  return { ...told, headers, name: `parley ${mark}` };
}

/** An account that the gateway still has logs in again; any other log-in makes a new account. */
export async function makeLink(
  network: Network,
  { config, token, noticeUrl, expiresAt }: LogInRequest<NetworkConfig>,
  signal: AbortSignal,
): Promise<LogInLink> {
  const account = config?.account_id ?? null;
  const known =
    account === null ? null : await callGateway(network, { method: 'GET', path: ['accounts', account], signal });
  if (known?.outcome === 'unknown') return known;
  const aim =
    known?.outcome === 'done'
      ? { type: 'reconnect', reconnect_account: account }
      : { type: 'create', providers: ['LINKEDIN'] };
  const body = {
    ...aim,
    api_url: network.gateway ? readServer(network.gateway) : '',
    expiresOn: expiresAt.toISOString(),
    name: token,
    notify_url: noticeUrl,
  };
  const made = await callGateway(network, { method: 'POST', path: ['hosted', 'accounts', 'link'], body, signal });
  if (made.outcome !== 'done') return made;
  const url = asText(made.body.url);
  return url !== null && /^https?:\/\//.test(url) && URL.canParse(url)
    ? { outcome: 'made', url }
    : { outcome: 'unknown', reason: 'The gateway gave no link.' };
}

const ENDED = new Map([
  ['CREATION_SUCCESS', false],
  ['RECONNECTED', true],
]);

export function readNotice(body: unknown): LogInNotice | null {
  const notice = asRecord(body);
  const isRenewed = ENDED.get(asText(notice?.status) ?? '');
  const [token, account] = [asIdentifier(notice?.name), asIdentifier(notice?.account_id)];
  return isRenewed === undefined || token === null || account === null ? null : { token, account, isRenewed };
}

export async function findAccount(
  network: Network,
  account: string,
  signal: AbortSignal,
): Promise<LoggedIn<NetworkConfig> | null> {
  const answer = await callGateway(network, { method: 'GET', path: ['accounts', account], signal });
  if (answer.outcome === 'refused' && answer.network) return null;
  if (answer.outcome !== 'done') throw toError(answer);
  const { id, type, name, created_at, connection_params } = answer.body;
  if (asIdentifier(id) !== account) return null;
  const profile = asRecord(asRecord(connection_params)?.im);
  const [provider, displayName] = [asLabel(type), asLabel(name)];
  const handle = asLabel(profile?.publicIdentifier);
  const config: NetworkConfig = {
    account_id: account,
    ...(provider !== null && { provider }),
    ...(displayName !== null && { display_name: displayName }),
    ...(handle !== null && {
      profile_url: `https://www.linkedin.com/in/${encodeURIComponent(handle)}`,
      public_identifier: handle,
    }),
  };
  return { config, createdAt: asDate(typeof created_at === 'string' ? Date.parse(created_at) : null) };
}

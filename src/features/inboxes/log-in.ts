/**
 * The log-in at the page of a network, whose account the inbox then has. The network's notice of it is not signed: it is proven by the
 * token that went out with the link, and the account is read from the network. Nothing of a link is stored.
 */
import type { HostedLogIn, LogInNotice } from '../../channels/log-in.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import { CALL_MS } from '../../channels/limits.ts';
import type { Kit } from '../../kit.ts';
import { AppError, expectFound, invalid } from '../../platform/values/errors.ts';
import { isSameSecret } from '../../platform/store/secrets.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { checkNow, takeSettings } from './inboxes.ts';
import { callInTurn } from './network-turns.ts';
import { findInbox, type InboxRow } from './queries.ts';
import type { ConnectLink } from './schemas.ts';
import { openSettings, readSettings } from './settings.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// How long someone may take for the log-in, with a code that the network may send by post to a phone.
const LINK_MS = declareLimit(3_600_000, {
  topic: 'Networks',
  what: 'Link to log in at LinkedIn',
  unit: 'ms',
  beyond: 'make a new link',
});
// The network reports a log-in once it is complete, and repeats the report while the platform does not answer.
const LATE_MS = 3_600_000;
// The clocks of the network and of this machine may differ.
const SKEW_MS = 300_000;

export async function makeConnectLink(kit: Kit, tenant: Tenant, id: string): Promise<ConnectLink> {
  const row = expectFound(await findInbox(tenant.read, id));
  const channel = kit.channels.get(row.channel);
  const { logIn } = channel;
  if (!logIn || logIn.missing !== null) throw new AppError('LOG_IN_NOT_SUPPORTED', logIn?.missing ?? undefined);
  if (row.status !== 'ACTIVE') throw invalid('id', 'is the id of a deleted inbox', 'INBOX_INACTIVE');
  // Whoever has the link decides the account, so the audit says who made it.
  await tenant.tx(() => Promise.resolve());
  const expiresAt = new Date(Date.now() + LINK_MS);
  const wanted = {
    config: readSettings(row, channel) && openSettings(row, channel, kit.secrets),
    token: makeToken(kit, row, expiresAt.getTime()),
    noticeUrl: `${kit.config.PUBLIC_URL}${logIn.path}`,
    expiresAt,
  };
  const link = await callInTurn(row.company, (signal) => logIn.makeLink(wanted, signal));
  if (link.outcome === 'made') return { url: link.url, expires_at: expiresAt.toISOString() };
  if (link.outcome === 'unknown' || !link.network) {
    const detail = link.outcome === 'unknown' ? link.reason : link.error.message;
    throw new AppError('UNAVAILABLE', detail, [], { 'retry-after': '10' });
  }
  const { code, message } = link.error;
  throw new AppError('NETWORK_REFUSED', message, [{ path: 'network', code: String(code), message }]);
}

/** The form of a token: the id of the company, the id of the inbox, the milliseconds at which the link ends, and 256 bits in base64url. */
const FORM = /^([0-9a-f]{24})([0-9a-f]{24})-(\d{1,15})-[\w-]{43}$/;

function makeToken(kit: Kit, { company, _id }: Pick<InboxRow, 'company' | '_id'>, expiresMs: number): string {
  return `${company}${_id}-${expiresMs}-${kit.secrets.derive(`${company}:inbox:${_id}:log_in:${expiresMs}`)}`;
}

/** Gives the inbox the account of a log-in. Throws BAD_SIGNATURE for a notice that no link of ours has led to. */
export async function takeLogIn(kit: Kit, channel: NamedChannel, logIn: HostedLogIn, body: unknown): Promise<void> {
  const notice = logIn.readNotice(body);
  const [, company = '', inbox = '', expires = ''] = FORM.exec(notice?.token ?? '') ?? [];
  const expiresMs = Number(expires);
  const isOurs = notice !== null && isSameSecret(notice.token, makeToken(kit, { company, _id: inbox }, expiresMs));
  if (!isOurs || Date.now() > expiresMs + LATE_MS) throw new AppError('BAD_SIGNATURE');
  const row = await findInbox(kit.database.read(company), inbox);
  if (row?.status !== 'ACTIVE' || row.channel !== channel.name) return;
  const config = await findNewAccount(logIn, notice, { madeMs: expiresMs - LINK_MS, own: row.network_address });
  if (!config) {
    kit.log.warn({ inbox }, 'inboxes: a log-in told of an account that it did not make');
    return;
  }
  const taken = await kit.database.tenantTx(company, (tx) => takeSettings(kit, tx, inbox, config));
  if (taken) await checkNow(kit, taken);
}

/**
 * Reads the account from the network. Someone who can read the link could tell of an account that is another company's: so it is either
 * the inbox's own, or one that was made after the link. Null for any other.
 */
async function findNewAccount(
  logIn: HostedLogIn,
  { account, isRenewed }: LogInNotice,
  { madeMs, own }: { madeMs: number; own: string | null },
): Promise<Record<string, unknown> | null> {
  if (isRenewed && account !== own) return null;
  const found = await logIn.findAccount(account, AbortSignal.timeout(CALL_MS));
  if (!found) return null;
  const isOld = found.createdAt !== null && found.createdAt.getTime() < madeMs - SKEW_MS;
  return account !== own && isOld ? null : found.config;
}

/** Inboxes: the connections of a company to messaging channels. */
import { isDeepStrictEqual } from 'node:util';
import type { ChannelSettings } from '../../channels/settings.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import type { Kit } from '../../kit.ts';
import { expectTarget } from '../../platform/outside/targets.ts';
import { AppError, expectFound, invalid } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import { readCallersPhone } from '../../platform/store/phone-country.ts';
import type { Secrets } from '../../platform/store/secrets.ts';
import type { Tenant, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { refuseUnknown } from '../../platform/store/unknown-references.ts';
import { expectHours } from '../business-hours/business-hours.ts';
import { expectTeam } from '../teams/teams.ts';
import { expectUsers } from '../users/assignments.ts';
import { expectFree } from './address.ts';
import { checkConnection } from './connection.ts';
import { chooseDoorName, refuseTakenName } from './door-name.ts';
import { CheckConnection, RECHECK_SECONDS } from './jobs.ts';
import { callInTurn } from './network-turns.ts';
import {
  findInbox,
  findInboxes,
  findInboxForUpdate,
  findUnknownInbox,
  insertInbox,
  listInboxes,
  updateInbox,
  type InboxRow,
  type Settings,
} from './queries.ts';
import type { Inbox, InboxCreate, InboxQuery, InboxUpdate } from './schemas.ts';
import {
  expectCustomFields,
  findAddress,
  givenSettings,
  initialSettings,
  openSettings,
  readSettings,
  sealSettings,
} from './settings.ts';
import { announceConnections } from './connection-changes.ts';
import { present } from './present.ts';
import { readTestPeople } from './test-people.ts';
import { declareLimit } from '../../platform/values/limits.ts';

export async function createInbox(kit: Kit, tenant: Tenant, input: InboxCreate): Promise<Inbox> {
  const created = await storeInbox(kit, tenant, input);
  return present(kit, (await checkNow(kit, created)) ?? created);
}

/** Creates an inbox without asking its network at once; a job does that later. */
export async function storeInbox(kit: Kit, tenant: Tenant, input: InboxCreate): Promise<InboxRow> {
  const before = makeUnset(tenant.companyId);
  await expectAdmitted(kit, before, input);
  const stored = tenant.tx(async (tx) => {
    const inbox = await insertInbox(tx, await change(kit, tx, before, input));
    tx.created(inbox._id);
    await expectSeeingOwner(tx, inbox);
    await enqueueCheck(kit, tx, inbox);
    return inbox;
  });
  return stored.catch(refuseTakenName(tenant.read, input.door_name));
}

export async function updateInboxById(kit: Kit, tenant: Tenant, id: string, input: InboxUpdate): Promise<Inbox> {
  const before = expectFound(await findInbox(tenant.read, id));
  await expectAdmitted(kit, before, input);
  const changed = tenant.tx((tx) => changeInbox(kit, tx, id, input));
  const { row, recheck } = await changed.catch(refuseTakenName(tenant.read, input.door_name));
  const checked = recheck ? await checkNow(kit, row) : null;
  return present(kit, checked ?? row);
}

/** Checks a saved inbox. A failure of the check must not fail the request, because the inbox is already stored. */
export async function checkNow(kit: Kit, row: InboxRow): Promise<InboxRow | null> {
  try {
    return await callInTurn(row.company, () => checkConnection(kit, row));
  } catch (error) {
    // Failure policy: the inbox stays PENDING, and the job that was enqueued when it was saved checks it again.
    kit.log.warn({ err: error, inbox: row._id }, 'inboxes: the connection could not be checked now');
    return null;
  }
}

async function changeInbox(
  kit: Kit,
  tx: TenantTx,
  id: string,
  input: InboxUpdate,
): Promise<{ row: InboxRow; recheck: boolean }> {
  const before = expectFound(await findInboxForUpdate(tx, id));
  const next = await change(kit, tx, before, input);
  const moved = isMoved(before, next);
  const renewed = moved || next.webhook_url !== before.webhook_url || credentialsChanged(kit, before, next);
  const row = await updateInbox(tx, next, { renewed, moved });
  if (input.members !== undefined || input.default_owner) await expectSeeingOwner(tx, row);
  await announceConnections(kit, tx, [{ ...row, was: before.connection.status }]);
  // The caller may have corrected an inbox in ERROR at the network, so saving it checks it again.
  const recheck = (renewed || before.connection.status === 'ERROR') && row.status === 'ACTIVE';
  if (recheck) await enqueueCheck(kit, tx, row);
  return { row, recheck };
}

/** Throws an error when the owner of new conversations would not see them. The inbox has its new members already. */
const expectSeeingOwner = (tx: TenantTx, { _id, default_owner }: InboxRow): Promise<void> =>
  expectUsers(tx, { default_owner }, _id);

async function expectMembers(
  tx: TenantTx,
  { users = [], teams = [] }: NonNullable<InboxUpdate['members']>,
): Promise<void> {
  await expectUsers(tx, Object.fromEntries(users.map((id, index) => [`members.users[${index}]`, id])));
  for (const [index, team] of teams.entries()) await expectTeam(tx, `members.teams[${index}]`, team);
}

/** Gives an inbox the settings that its network tells. Returns null when the inbox is gone, or was deleted meanwhile. */
export async function takeSettings(kit: Kit, tx: TenantTx, id: string, given: Settings): Promise<InboxRow | null> {
  const before = await findInboxForUpdate(tx, id);
  const settings = before && kit.channels.get(before.channel).settings;
  if (before?.status !== 'ACTIVE' || !settings) return null;
  const next = await change(kit, tx, before, { [settings.field]: given });
  const row = await updateInbox(tx, next, { renewed: true, moved: isMoved(before, next) });
  await announceConnections(kit, tx, [{ ...row, was: before.connection.status }]);
  await enqueueCheck(kit, tx, row);
  return row;
}

const enqueueCheck = (kit: Kit, tx: TenantTx, { company, _id }: InboxRow): Promise<void> =>
  kit.enqueue(tx, CheckConnection, { company, inbox: _id }, { key: _id, delaySeconds: RECHECK_SECONDS });

/**
 * Returns true when the inbox has to prove again that it owns its phone number: its address changed, or it was DELETED and another inbox
 * could take the number.
 */
function isMoved(before: Before, next: InboxRow): boolean {
  const reactivated = next.status === 'ACTIVE' && before.status === 'DELETED';
  return reactivated || next.network_address !== before.network_address || next.channel !== before.channel;
}

export async function readInbox(kit: Kit, tenant: Tenant, id: string): Promise<Inbox> {
  return present(kit, expectFound(await findInbox(tenant.read, id)));
}

/** Reads inboxes by their ids, for the live stream. */
export const readInboxes = async (read: TenantRead, ids: string[], secrets: Secrets): Promise<Inbox[]> =>
  (await findInboxes(read, ids)).map((row) => present({ secrets }, row));

/** Throws UNKNOWN_REFERENCE for the filter of a list when the company has no such inbox. */
export const refuseUnknownInbox = async (read: TenantRead, inbox: string | null): Promise<void> =>
  refuseUnknown(await findUnknownInbox(read, inbox));

export async function pageInboxes(kit: Kit, tenant: Tenant, query: InboxQuery): Promise<Page<Inbox>> {
  const filter = {
    status: query.status ?? null,
    channel: query.channel ?? null,
    door_name: query.door_name ?? null,
  };
  const page = await listInboxes(tenant.read, filter, pageWindow('inboxes', query));
  return { ...page, result: page.result.map((row) => present(kit, row)) };
}

/** An inbox before a change. A new one has no channel and no name yet. */
type Before = Omit<InboxRow, 'channel' | 'name'> & Partial<Pick<InboxRow, 'channel' | 'name'>>;

function makeUnset(company: string): Before {
  return {
    _id: newId(),
    company,
    door_name: '',
    door_settings: null,
    number: '',
    webhook_url: null,
    default_agent: null,
    default_owner: null,
    default_team: null,
    business_hours: null,
    away_text: null,
    csat_question: null,
    members: null,
    status: 'ACTIVE',
    settings: {},
    test_mode: { enabled: false, test_numbers: [] },
    general_config: { include_operator_name_on_message: false },
    coexistence_enabled: false,
    history: null,
    process_unsupported_messages: false,
    disable_inbound_ai: false,
    pdf_local_text_extraction: false,
    reopen_days: 0,
    network_address: null,
    network_account: null,
    connection_version: 0,
    callback_told: false,
    connection: { status: 'PENDING', checked_at: null, error: null },
    standing: null,
    createdAt: '',
    updatedAt: '',
  };
}

/**
 * Refuses settings and addresses that are not allowed, and an address of another inbox (CHANNEL_IN_USE). This runs before the change and
 * without locks, because it resolves names and reads across companies.
 */
async function expectAdmitted(kit: Kit, before: Before, input: InboxUpdate): Promise<void> {
  await refuseFaults(kit, input);
  const next = applyInput(kit, before, input);
  if (isMoved(before, next)) await expectFree(kit, next);
}

/** Applies the caller's fields to an inbox and returns the result. Throws an error for a field that does not fit. */
async function change(kit: Kit, tx: TenantTx, before: Before, input: InboxUpdate): Promise<InboxRow> {
  await expectUsers(tx, { default_owner: input.default_owner });
  await expectTeam(tx, 'default_team', input.default_team);
  if (input.members) await expectMembers(tx, input.members);
  // Hours that the inbox has stay until it is unlocked: who removes them takes them out of their inboxes first.
  if (input.business_hours !== before.business_hours) await expectHours(tx, 'business_hours', input.business_hours);
  await expectCustomFields(tx, input);
  const next = applyInput(kit, before, input);
  const settings = { ...next.settings, ...sealSettings(before, input, kit.secrets) };
  const isNew = before.createdAt === '' || (next.status === 'ACTIVE' && before.status === 'DELETED');
  const door_name = input.door_name ?? (isNew ? await chooseDoorName(kit, tx, next) : next.door_name);
  return withParsedNumbers(kit, tx, before, { ...next, settings, door_name });
}

/** Returns the inbox with the caller's fields, whose secrets are not encrypted yet, and with the network address that follows from them. */
function applyInput(kit: Kit, before: Before, input: InboxUpdate): InboxRow {
  const { test_mode, members, ...plain } = input;
  const next = { ...before, ...plain, test_mode: { ...before.test_mode, ...test_mode } } as InboxRow;
  if (members !== undefined) next.members = members && { users: [], teams: [], ...members };
  const given = givenSettings(input).map(([{ field }, values]) => [field, values] as const);
  const channel = kit.channels.get(next.channel);
  next.settings = { ...initialSettings(channel), ...before.settings, ...Object.fromEntries(given) };
  const stored = readSettings(next, channel);
  // An inbox from a time when its channel had no settings can be changed without them.
  if (next.channel !== before.channel && channel.settings?.body && !stored)
    throw configRequired(channel.settings.field);
  next.network_address = channel.settings && stored && boundedAddress(channel.settings, stored, before._id);
  next.network_account = findAccount(channel, before, next);
  return next;
}

/** Returns the account of the settings, or the one that the network has told, as long as the inbox is the same there. */
function findAccount(channel: NamedChannel, before: Before, next: InboxRow): string | null {
  const stored = readSettings(next, channel);
  if (!channel.settings?.accountIsTold) return (stored && channel.settings?.account(stored)) ?? null;
  const isSame = before.channel === channel.name && before.network_address === next.network_address;
  return isSame ? before.network_account : null;
}

/** Parses new phone numbers: the number of the inbox on channels that need one, and test numbers. Unchanged ones are kept as they are. */
async function withParsedNumbers(kit: Kit, tx: TenantRead, before: Before, next: InboxRow): Promise<InboxRow> {
  const channel = kit.channels.get(next.channel);
  if (channel.needsNumber && !next.number) throw configRequired('number');
  const { enabled, test_numbers: listed } = next.test_mode;
  const test_numbers = await readTestPeople(tx, channel, { listed, stored: before.test_mode.test_numbers });
  const parsed = { ...next, test_mode: { enabled, test_numbers } };
  const isKept = next.number === before.number && next.channel === before.channel;
  if (isKept || !channel.needsNumber) return parsed;
  const { phone_number } = await readCallersPhone(tx, next.number, { country: null, path: 'number' });
  return { ...parsed, number: phone_number };
}

// The longest address of an inbox; an entry of a unique index can hold an address of this length.
const MAX_ADDRESS = declareLimit(1_000, {
  topic: 'Networks',
  what: 'Address of an inbox at its network',
  unit: 'bytes',
  beyond: '400',
});

function boundedAddress(settings: ChannelSettings, stored: Settings, inbox: string): string {
  const address = findAddress(settings, stored, inbox);
  if (Buffer.byteLength(address) > MAX_ADDRESS) throw invalid(settings.field, 'has an address that is too long');
  return address;
}

function configRequired(path: string): AppError {
  const message = 'is required by the channel';
  return new AppError('CHANNEL_CONFIG_REQUIRED', `${path} ${message}`, [{ path, code: 'REQUIRED', message }]);
}

/** Compares the decrypted settings, because encrypting the same token twice gives different texts. */
function credentialsChanged(kit: Kit, before: InboxRow, next: InboxRow): boolean {
  const channel = kit.channels.get(next.channel);
  return !isDeepStrictEqual(openSettings(before, channel, kit.secrets), openSettings(next, channel, kit.secrets));
}

/** Refuses settings with a fault, and addresses that the platform may not call. The address guard checks them again at every call. */
async function refuseFaults(kit: Kit, input: InboxUpdate): Promise<void> {
  for (const [settings, given] of givenSettings(input)) {
    const fault = settings.findFault?.(given);
    if (fault) throw invalid(`${settings.field}.${fault.path}`, fault.message);
    for (const { path, url } of settings.targets(given))
      await expectTarget(kit.outbound, `${settings.field}.${path}`, url);
  }
  if (input.webhook_url) await expectTarget(kit.outbound, 'webhook_url', input.webhook_url);
}

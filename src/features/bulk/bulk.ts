/**
 * Sends an approved template to many contacts in one request. The run and its contacts are stored before anything leaves. The request works on
 * the run to its end, also when its caller hangs up; a run whose process ended waits for the request to be repeated with its Idempotency-Key.
 */
import type { GivenComponent } from '../../channels/templates/given.ts';
import type { Kit } from '../../kit.ts';
import { AppError, expectFound, invalid, unknownReference } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import type { Tenant, TenantRead } from '../../platform/store/tenant.ts';
import { findApproved } from '../templates/approved.ts';
import { refuseUnknownInbox } from '../inboxes/inboxes.ts';
import { foreseePlaces } from '../inboxes/portfolio.ts';
import { checkHeaders } from '../messages/files.ts';
import { checkGiven } from '../templates/parameters.ts';
import type { DispatchOptions } from '../sends/dispatch.ts';
import { planCandidates } from '../sends/plan.ts';
import type { Fault } from '../sends/schemas.ts';
import { findSendingInbox, openSender, type SendingInbox } from '../sends/sender.ts';
import { SourceLost } from '../sends/source.ts';
import { expectUsers } from '../users/assignments.ts';
import { settleLeft } from './ending.ts';
import { readBulkRows, type BulkRequest } from './given.ts';
import { OVER_LIMIT, planBulk, readCandidates, toUnsent } from './plan.ts';
import { findAgent, findRun, findRuns, insertRun, listRuns, takeRun, type RunWork } from './queries.ts';
import { insertRows, listDone, type DoneRow, type NewRow } from './row-queries.ts';
import type { BulkForm, BulkQuery, BulkResult, BulkRun } from './schemas.ts';
import { openRunning } from './source.ts';
import { workRun } from './work.ts';

export type { DispatchOptions };

export async function sendBulk(
  kit: Kit,
  tenant: Tenant,
  request: BulkRequest,
  options: DispatchOptions,
): Promise<BulkResult> {
  const { body } = request;
  const { inbox, run } = await checkRequest(kit, tenant, body);
  const rows = await readBulkRows(kit, tenant, request, run.components);
  if (body.dryRun) return foresee(kit, tenant, { inbox, run }, rows);
  if (options.stopping.aborted) throw interrupted();
  const holder = newId();
  await tenant.tx(async (tx) => {
    tx.created(run._id);
    const errors = rows.filter(({ error }) => error !== null).length;
    await insertRun(tx, { ...run, total: rows.length, errors, holder });
    await insertRows(tx, run._id, rows);
  });
  await finish(kit, tenant, { run, holder, isTakenOver: false }, options);
  return readBulk(tenant, run._id);
}

/** Answers a repeated request: goes on with a run whose process has ended, and answers with the result. */
export async function resumeBulk(kit: Kit, tenant: Tenant, id: string, options: DispatchOptions): Promise<BulkResult> {
  const found = expectFound(await findRun(tenant.read, id));
  if (found.status === 'COMPLETED') return readBulk(tenant, id);
  const holder = newId();
  const run = await tenant.tx((tx) => takeRun(tx, id, holder));
  if (!run) throw new AppError('IDEMPOTENCY_IN_FLIGHT', undefined, [], { 'retry-after': '5' });
  await finish(kit, tenant, { run, holder, isTakenOver: true }, options);
  return readBulk(tenant, id);
}

export async function readBulk(tenant: Tenant, id: string): Promise<BulkResult> {
  const run = expectFound(await findRun(tenant.read, id));
  return { ...run, dryRun: false, ...toResult(await listDone(tenant.read, id)) };
}

/** Reads runs by their ids, without their rows, for callers that follow their progress. Those that do not exist are left out. */
export const readRuns = (read: TenantRead, ids: string[]): Promise<BulkRun[]> => findRuns(read, ids);

export async function pageBulk(tenant: Tenant, query: BulkQuery): Promise<Page<BulkRun>> {
  const { inbox = null } = query;
  await refuseUnknownInbox(tenant.read, inbox);
  return listRuns(tenant.read, inbox, pageWindow('bulk', query));
}

interface Checked {
  inbox: SendingInbox;
  run: RunWork;
}

const PATHS = { inbox: 'inboxId', name: 'templateName', language: 'languageCode' };

/** Checks the parts of the request that concern all contacts. Throws before anything is stored. */
async function checkRequest(kit: Kit, tenant: Tenant, body: BulkForm): Promise<Checked> {
  const inbox = await findSendingInbox(tenant.read, body.inboxId);
  if (!inbox) throw unknownReference('inboxId');
  if (inbox.status !== 'ACTIVE') throw invalid('inboxId', 'is the id of a deleted inbox', 'INBOX_INACTIVE');
  const { agentToActivate: agent = null, owner_user_id: owner = null, attendant_user_id: attendant = null } = body;
  await expectUsers(tenant.read, { owner_user_id: owner, attendant_user_id: attendant }, inbox._id);
  if (agent !== null && !(await findAgent(tenant.read, agent))) throw unknownReference('agentToActivate');
  const { templateName: name, languageCode: language, components: given = [] } = body;
  const components: GivenComponent[] = Array.isArray(given) ? given : [given];
  const { template, category } = await findApproved(kit, tenant, { inbox: inbox._id, name, language }, PATHS);
  const channel = kit.channels.get(inbox.channel);
  const headers = await checkGiven(kit, tenant.read, { channel, template, given: components, path: 'components' });
  checkHeaders(channel, headers);
  const { keep_existing_assignment: keeps = false, send_to_active_conversations: writesToActive = false } = body;
  const options = { owner, agent, attendant, keeps, writesToActive, category };
  const { type, id, name: actorName } = tenant.principal;
  const actor = { type, id, name: actorName } as RunWork['actor'];
  const run = { _id: newId(), inbox: inbox._id, template, time_zone: inbox.time_zone, components, options, actor };
  return { inbox, run };
}

/** Works on the run until its end. Throws when it was interrupted, so that the caller repeats the request. */
async function finish(
  kit: Kit,
  tenant: Tenant,
  { run, holder, isTakenOver }: { run: RunWork; holder: string; isTakenOver: boolean },
  options: DispatchOptions,
): Promise<void> {
  const running = await openRunning(kit, tenant.companyId, run, holder);
  try {
    if (isTakenOver) await settleLeft(running);
    if (!(await workRun(running, options))) throw interrupted();
  } catch (error) {
    throw error instanceof SourceLost ? interrupted() : error;
  }
}

const interrupted = (): AppError =>
  new AppError('UNAVAILABLE', 'The run was interrupted; repeat the request with its Idempotency-Key to continue', [], {
    'retry-after': '5',
  });

function toResult(done: DoneRow[]): Pick<BulkResult, 'errors' | 'sentContacts'> {
  return {
    errors: done.flatMap(({ row, phone, message, error }) =>
      error ? [{ row, contact: phone, error: `${error.code}: ${error.message}`, code: error.code, message }] : [],
    ),
    sentContacts: done.flatMap(({ row, phone, status, conversation, message, network_status }) =>
      status === 'SENT'
        ? [{ conversationId: conversation, phoneNumber: phone, row, message, networkStatus: network_status }]
        : [],
    ),
  };
}

/** Returns what a run would do now, by the same checks. Places in the daily limit are not reserved, so other sends may take them meanwhile. */
async function foresee(kit: Kit, tenant: Tenant, { inbox, run }: Checked, rows: NewRow[]): Promise<BulkResult> {
  const { channel, portfolio } = await openSender(kit, tenant.read, inbox._id);
  const planning = { inbox, channel, run };
  const good = rows.filter(({ error }) => error === null).map(toUnsent);
  const plan = planCandidates(planBulk(planning), await readCandidates(tenant.read, planning, good));
  const people = plan.sends.flatMap(({ row, to }) => (row.window_open ? [] : [to.value]));
  const placed = await foreseePlaces(tenant.read, portfolio, people);
  const [sends, over] = [true, false].map((isPlaced) =>
    plan.sends.filter(({ row, to }) => (row.window_open || placed.has(to.value)) === isPlaced),
  ) as [typeof plan.sends, typeof plan.sends];
  const foreseen = (
    error: Fault | null,
    { row, phone, conversation = null }: Pick<DoneRow, 'row' | 'phone'> & { conversation?: string | null },
  ): DoneRow => ({
    row,
    phone,
    error,
    message: null,
    network_status: null,
    ...(error ? { status: 'FAILED', conversation: null } : { status: 'SENT', conversation }),
  });
  const done = [
    ...rows.filter(({ error }) => error !== null).map((row) => foreseen(row.error, row)),
    ...plan.refused.map(({ row, code, message }) => foreseen({ code, message }, row)),
    ...over.map(({ row }) => foreseen(OVER_LIMIT, row)),
  ];
  return {
    _id: null,
    company: tenant.companyId,
    inbox: inbox._id,
    template: { name: run.template.name, language: run.template.language },
    status: 'COMPLETED',
    total: rows.length,
    totalProcessed: rows.length,
    sentCount: sends.length,
    errorCount: done.length,
    createdAt: null,
    updatedAt: null,
    completedAt: null,
    dryRun: true,
    ...toResult([...done, ...sends.map(({ row }) => foreseen(null, row))].toSorted((a, b) => a.row - b.row)),
  };
}

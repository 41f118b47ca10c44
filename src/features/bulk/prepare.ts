/**
 * Stores the messages of the next contacts of a run: finds or creates the contacts and conversations, reserves places in the daily limit,
 * and stores the filled-in templates, all in one transaction with few statements.
 */
import { toContactSource } from '../contacts/contacts.ts';
import type { ContactSource } from '../contacts/schemas.ts';
import { createByPhones, holdMany } from '../contacts/by-phones.ts';
import { lockOpenOnes, openMany } from '../conversations/open-many.ts';
import { reachPeople, type Reached } from '../inboxes/portfolio.ts';
import { keepPlaces } from '../messages/late-places.ts';
import { storeTemplates } from '../messages/send-many.ts';
import { repeatOvertaken } from '../../platform/store/overtaken.ts';
import { newId } from '../../platform/values/ids.ts';
import { isPhoneFault, readPhone } from '../../platform/values/phone.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { toPlace } from './outcomes.ts';
import { divideByPlaces, planRows, type Plan, type PlannedSend } from './plan.ts';
import { addCounts } from './queries.ts';
import {
  findRecipients,
  keepRun,
  listWaiting,
  recordPrepared,
  type PreparedRow,
  type ReadyRow,
  type WaitingRow,
} from './row-queries.ts';
import { RunLost, type Running } from './running.ts';
import { PHONE_NUMBER } from '../../channels/identity.ts';

// The contacts of one transaction, which takes some tens of milliseconds.
const PORTION = 100;

/**
 * Returns the messages that are ready to be sent, or null when no contact is left. Throws RunLost when another process has taken over the
 * run. When the last try fails too, the request fails; repeated, it goes on where it ended.
 */
export const prepareNext = (running: Running): Promise<ReadyRow[] | null> =>
  repeatOvertaken(() => running.acting.tx((tx) => preparePortion(tx, running)));

async function preparePortion(tx: TenantTx, running: Running): Promise<ReadyRow[] | null> {
  const { run, holder } = running;
  const rows = await listWaiting(tx, run._id, PORTION);
  if (rows.length === 0) return null;
  await lockKnown(tx, running, rows);
  const plan = await planRows(tx, running, rows);
  let places = new Map<string, Reached>();
  const { sends, over } = await divideByPlaces(
    plan,
    async (people) => (places = await reachPeople(tx, running.portfolio, people)),
  );
  const ready = await storeSends(tx, running, sends, places);
  tx.awaitAtCommit(
    keepPlaces(
      tx,
      running.portfolio,
      ready.map((row) => ({ message: row.message, ...toPlace(row) })),
    ),
  );
  const failed = [...plan.failed, ...over];
  tx.awaitAtCommit(recordPrepared(tx, run._id, [...ready.map(toPrepared), ...failed.map(toFailed)]));
  // A process that has taken the run over prepares the same rows. The one that finds the run its own here stores them.
  if (!(await keepRun(tx, { _id: run._id, holder }))) throw new RunLost();
  if (failed.length > 0) tx.awaitAtCommit(addCounts(tx, run._id, { sent: 0, errors: failed.length }));
  return ready;
}

/** Locks what exists in the order of all operations: conversations, then contacts. */
async function lockKnown(tx: TenantTx, { run, inbox }: Running, rows: WaitingRow[]): Promise<void> {
  const values = rows.map(({ phone }) => PHONE_NUMBER.identify(phone).value);
  const asked = { run: run._id, inbox: inbox._id, kind: PHONE_NUMBER.kind, values, restingCodes: [] };
  const known = await findRecipients(tx, asked);
  if (known.length === 0) return;
  const contacts = known.map(({ contact }) => contact);
  await lockOpenOnes(tx, inbox._id, contacts);
  await holdMany(tx, contacts);
}

async function storeSends(
  tx: TenantTx,
  { acting, run, inbox, files: { header, cards = new Map() } }: Running,
  sends: PlannedSend[],
  places: Map<string, Reached>,
): Promise<ReadyRow[]> {
  if (sends.length === 0) return [];
  const contacts = await createMissing(tx, toContactSource(acting.actor), sends);
  const partners = sends.map(({ to, known }) => ({
    contact: known?.contact ?? contacts.get(to.value) ?? '',
    conversation: known?.conversation ?? null,
  }));
  const { owner, agent, attendant, keeps } = run.options;
  const { default_owner, default_agent, channel, test_mode } = inbox;
  const at = { inbox: inbox._id, channel, is_test: test_mode.enabled };
  const opening = { ...at, default_owner, default_agent, owner, agent, attendant, keeps };
  const conversations = await openMany(tx, opening, partners);
  const ready = sends.map((send, place): ReadyRow => {
    const { reached_at = null, reached_before = null } = places.get(send.to.value) ?? {};
    const { name, language } = run.template;
    return {
      row: send.row.row,
      phone: send.row.phone,
      address: send.to.address,
      contact: partners[place]?.contact ?? '',
      conversation: conversations[place] ?? '',
      message: newId(),
      content: send.filled.content,
      template: { name, language, components: send.filled.components },
      refusals: 0,
      reached_at,
      reached_before,
    };
  });
  await storeTemplates(
    tx,
    { actor: acting.actor, inbox: at, header, cards: [...cards.keys()] },
    ready.map(({ message, conversation, contact, content, template }) => ({
      _id: message,
      conversation,
      contact,
      content,
      template,
    })),
  );
  return ready;
}

/** Creates the contacts that the company does not have yet. Returns their ids by the numbers. */
async function createMissing(tx: TenantTx, source: ContactSource, sends: PlannedSend[]): Promise<Map<string, string>> {
  const missing = sends.filter(({ known }) => known === null);
  const people = missing.map(({ row: { name, phone } }) => {
    const read = readPhone(phone, null);
    return { name, ...(isPhoneFault(read) ? { phone_number: phone, country_code: null } : read) };
  });
  const created = await createByPhones(tx, source, people);
  return new Map(missing.map(({ to }, place) => [to.value, created[place] ?? '']));
}

function toPrepared({ row, contact, conversation, message, reached_at, reached_before }: ReadyRow): PreparedRow {
  return { row, status: 'READY', contact, conversation, message, error: null, reached_at, reached_before };
}

const toFailed = ({ row, known, error }: Plan['failed'][number]): PreparedRow => ({
  row: row.row,
  status: 'FAILED',
  contact: known?.contact ?? null,
  conversation: null,
  message: null,
  error,
  reached_at: null,
  reached_before: null,
});

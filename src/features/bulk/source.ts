/** Connects bulk runs with the sender (`sends/`): each contact of a run is a row with its own state. */
import type { Kit } from '../../kit.ts';
import { ChangedMeanwhile } from '../../platform/store/overtaken.ts';
import { actAs, type Acting } from '../../platform/store/tenant.ts';
import { isPhoneFault, readPhone } from '../../platform/values/phone.ts';
import { createByPhones, type PhoneContact } from '../contacts/by-phones.ts';
import { toContactSource } from '../contacts/contacts.ts';
import { failUnsent } from '../messages/settle.ts';
import { openSender, openTemplateFiles, type OpenedFiles, type Sender } from '../sends/sender.ts';
import { SourceLost, type Outcome, type SendSource, type SourceWrites } from '../sends/source.ts';
import { findKnown, OVER_LIMIT, planBulk, readCandidates, UNKNOWN_OUTCOME, type BulkCandidate } from './plan.ts';
import { addCounts, type RunWork } from './queries.ts';
import { keepRun, listDue, markCalling, recordOutcomes, recordRefused, type RowOutcome } from './row-queries.ts';

/** A run that this process works on. */
export interface Running {
  kit: Kit;
  acting: Acting;
  run: RunWork;
  /** The id under which this process holds the run. */
  holder: string;
  sender: Sender;
  opened: OpenedFiles;
}

/** Opens a run for this process, which holds it as `holder`. */
export async function openRunning(kit: Kit, companyId: string, run: RunWork, holder: string): Promise<Running> {
  const acting = actAs(kit.database, companyId, run.actor);
  const sender = await openSender(kit, acting.read, run.inbox);
  const opened = await openTemplateFiles(kit, acting.read, sender.channel, run);
  return { kit, acting, run, holder, sender, opened };
}

export function makeSource(running: Running): SendSource<BulkCandidate> {
  const { kit, acting, run, sender, opened } = running;
  const planning = { inbox: sender.inbox, channel: sender.channel, run };
  const { owner, agent, attendant, keeps } = run.options;
  const { name, language } = run.template;
  const shown = { template: { name, language }, files: opened.files };
  return {
    ...planBulk(planning),
    ...writeRows(running),
    kit,
    acting,
    sender,
    name: `bulk run ${run._id}`,
    campaign: null,
    pace: null,
    assignment: { owner, agent, attendant, keeps },
    beyondLimit: OVER_LIMIT,
    listDue: async (most) => {
      const rows = await listDue(acting.read, run._id, most);
      const known = rows.length === 0 ? [] : await findKnown(acting.read, planning, rows, []);
      return {
        messages: rows.flatMap(({ message }) => message ?? []),
        contacts: known.map(({ contact }) => contact),
        isEmpty: rows.length === 0,
        lock: (tx) => readCandidates(tx, planning, rows),
      };
    },
    // A run is locked last, because storing outcomes waits for it.
    hold: () => Promise.resolve(true),
    files: () => shown,
  };
}

function writeRows({ acting, run, holder }: Running): SourceWrites<BulkCandidate> {
  return {
    createContacts: (tx, rows) => createByPhones(tx, toContactSource(acting.actor), rows.map(toPerson)),
    refuse: async (tx, refused) => {
      for (const { row, code, message } of refused)
        if (row.message) await failUnsent(tx, [row.message], { code, title: 'Not sent', message, details: '' });
      const rows = refused.map(({ row: { row, contact }, code, message }) => ({
        row,
        contact,
        error: { code, message },
      }));
      await recordRefused(tx, run._id, rows);
    },
    noteCalls: async (tx, calls) => {
      const rows = calls.map((call) => ({ ...call, row: call.row.row }));
      if ((await markCalling(tx, run._id, rows)) !== rows.length) throw new ChangedMeanwhile('A contact');
    },
    finishPortion: async (tx, { length }) => {
      // A process that has taken the run over takes the same rows. The one that finds the run its own here sends to them.
      if (!(await keepRun(tx, { _id: run._id, holder }))) throw new SourceLost();
      if (length > 0) tx.awaitAtCommit(addCounts(tx, run._id, { sent: 0, errors: length }));
    },
    settle: async (tx, _outcomes, settleMessages) => {
      await recordOutcomes(tx, run._id, (await settleMessages()).map(toRow));
    },
    finishOutcomes: async (tx, outcomes) => {
      const rows = outcomes.map(toRow);
      const sent = rows.filter(({ status }) => status === 'SENT').length;
      const waiting = rows.filter(({ status }) => status === 'READY').length;
      await addCounts(tx, run._id, { sent, errors: rows.length - sent - waiting });
    },
  };
}

/** The contact that is created for a row. */
function toPerson({ name, phone }: BulkCandidate): PhoneContact {
  const read = readPhone(phone, null);
  return {
    name,
    last_message_at: new Date().toISOString(),
    ...(isPhoneFault(read) ? { phone_number: phone, country_code: null } : read),
  };
}

function toRow({ call, result, again }: Outcome<BulkCandidate>): RowOutcome {
  const base = { row: call.row.row, error: null, network_status: null, isRefused: false };
  if (again !== null) return { ...base, status: 'READY', isRefused: again !== 'stop' };
  if (result.outcome === 'accepted') return { ...base, status: 'SENT', network_status: result.held ?? null };
  if (result.outcome === 'unknown') return { ...base, status: 'UNKNOWN', error: UNKNOWN_OUTCOME };
  const { code, title, message, details } = result.error;
  return {
    ...base,
    status: 'FAILED',
    error: { code, message: details || message || title || 'The network rejected it' },
  };
}

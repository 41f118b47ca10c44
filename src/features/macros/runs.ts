/** A macro in many conversations: a run like a bulk change of conversations, whose worker makes both. */
import type { Kit } from '../../kit.ts';
import { recordAudit, toLoggedActor, type Origin } from '../../platform/http/audit.ts';
import type { Acting, Tenant, TenantTx } from '../../platform/store/tenant.ts';
import { expectFound } from '../../platform/values/errors.ts';
import type { ClaimLoop } from '../../platform/work/claims/claim-loop.ts';
import { readRun } from '../../platform/work/runs/runs.ts';
import { startChangeRuns, type AskedChange } from '../../platform/work/runs/changes.ts';
import { makeChange } from '../conversations/bulk/change.ts';
import { addConversationRun, CONVERSATION_RUNS } from '../conversations/bulk/runs.ts';
import type { ConversationChange, ConversationRun } from '../conversations/bulk/schemas.ts';
import { findInboxOf } from '../conversations/conversations.ts';
import { makeActions, prepareActions } from './actions.ts';
import { readMacro } from './macros.ts';
import type { Actions, Macro, MacroRunMany } from './schemas.ts';

/** The macro as it was when the run started. The caller's scopes were checked for these actions, and not for later ones. */
interface MacroInput {
  macro: Pick<Macro, '_id' | 'name'>;
  actions: Actions;
}
type RunInput = ConversationChange | MacroInput;

export async function runMacroInMany(
  tenant: Tenant,
  id: string,
  asked: MacroRunMany,
  origin: Origin,
): Promise<ConversationRun> {
  const { _id, name, actions } = await readMacro(tenant, id);
  const input: MacroInput = { macro: { _id, name }, actions };
  return addConversationRun(tenant, { ...asked, input, origin });
}

export const readMacroRun = ({ read }: Tenant, id: string): Promise<ConversationRun> =>
  readRun(read, CONVERSATION_RUNS, id);

const isMacro = (input: RunInput): input is MacroInput => 'macro' in input;

export const startConversationRuns = (kit: Kit): ClaimLoop =>
  startChangeRuns<RunInput>(kit, {
    kind: CONVERSATION_RUNS,
    word: 'conversation',
    prepare: async (acting, id, input) => {
      if (!isMacro(input)) return;
      expectFound(await findInboxOf(acting.read, id));
      await prepareActions(kit, acting, id, input.actions);
    },
    make: (tx, acting, { change: input, ...asked }) =>
      isMacro(input)
        ? runMacroInOne(kit, tx, acting, { ...asked, actions: input.actions })
        : makeChange(kit, tx, acting, { ...asked, change: input }),
  });

type AskedMacro = Omit<AskedChange<unknown>, 'change'> & Pick<MacroInput, 'actions'>;

/** Runs the macro in one conversation and writes the same audit entry as a single run. */
async function runMacroInOne(kit: Kit, tx: TenantTx, acting: Acting, asked: AskedMacro): Promise<true> {
  const { id, actions, audit } = asked;
  await makeActions(kit, tx, acting, { conversation: id, actions, holdSeconds: 0, audit: null });
  const entry = {
    company: tx.companyId,
    actor: toLoggedActor(acting.actor),
    action: 'conversations.run-macro',
    resource: 'conversations',
    resourceId: id,
    fields: ['macro'],
  };
  tx.awaitAtCommit(recordAudit(tx, { ...entry, ...audit }));
  return true;
}

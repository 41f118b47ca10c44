/** Macros: actions that people make on a conversation with one click. Shared ones belong to the company, personal ones to a user. */
import { isDeepStrictEqual } from 'node:util';
import type { Kit } from '../../kit.ts';
import { lockLimit } from '../../platform/store/limit-lock.ts';
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import type { Tenant, TenantTx } from '../../platform/store/tenant.ts';
import { expectFound, invalid, unknownReference } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { expectConversation, findInboxOf } from '../conversations/conversations.ts';
import type { Conversation } from '../conversations/schemas.ts';
import { expectUsers } from '../users/assignments.ts';
import { checkActions, makeActions, prepareActions } from './actions.ts';
import {
  countOwnersMacros,
  deleteMacro,
  findMacro,
  insertMacro,
  listMacros,
  lockMacro,
  updateMacro,
} from './queries.ts';
import {
  MAX_MACROS,
  type Macro,
  type MacroCreate,
  type MacroQuery,
  type MacroRun,
  type MacroUpdate,
} from './schemas.ts';

const findUser = ({ principal }: Tenant): string | null => (principal.type === 'user' ? principal.id : null);

export async function createMacro(tenant: Tenant, { owner = null, ...fields }: MacroCreate): Promise<Macro> {
  await checkActions(tenant.read, fields.actions);
  return tenant.tx(async (tx) => {
    await expectUsers(tx, { owner });
    if (owner !== null && owner !== findUser(tenant)) throw invalid('owner', 'is another user');
    await lockLimit(tx, `macros:${owner}`);
    if ((await countOwnersMacros(tx, owner)) >= MAX_MACROS)
      throw invalid('name', `is one too many: there are ${MAX_MACROS} already`, 'LIMIT_REACHED');
    const macro = await insertMacro(tx, { _id: newId(), ...fields, owner });
    tx.created(macro._id);
    return macro;
  });
}

/** Finds a macro that the caller sees; null for any other. */
export const findVisible = (tenant: Tenant, id: string): Promise<Macro | null> =>
  findMacro(tenant.read, findUser(tenant), id);

export const readMacro = async (tenant: Tenant, id: string): Promise<Macro> =>
  expectFound(await findVisible(tenant, id));

export const pageMacros = (tenant: Tenant, query: MacroQuery): Promise<Page<Macro>> =>
  listMacros(tenant.read, findUser(tenant), pageWindow('macros', query));

/** Actions are checked only when they change, so that a macro can be renamed whose actions name a record that was deleted. */
export async function updateMacroById(tenant: Tenant, id: string, input: MacroUpdate): Promise<Macro> {
  await readMacro(tenant, id);
  if (input.actions) await checkActions(tenant.read, input.actions);
  return tenant.tx(async (tx) => {
    const before = await lockForChange(tx, tenant, id);
    const { name, actions } = before;
    const next = { name, actions, ...input };
    return isDeepStrictEqual(next, { name, actions }) ? before : updateMacro(tx, id, next);
  });
}

export function removeMacro(tenant: Tenant, id: string): Promise<Macro> {
  return tenant.tx(async (tx) => {
    const macro = await lockForChange(tx, tenant, id);
    await deleteMacro(tx, id);
    return macro;
  });
}

const lockForChange = async (tx: TenantTx, tenant: Tenant, id: string): Promise<Macro> =>
  expectFound(await lockMacro(tx, findUser(tenant), id));

/** Makes the actions of a macro in a conversation, in the name of the caller. */
export async function runMacro(
  kit: Kit,
  tenant: Tenant,
  conversation: string,
  { macro, hold_seconds: holdSeconds = 0 }: MacroRun,
): Promise<Conversation> {
  expectFound(await findInboxOf(tenant.read, conversation));
  const found = await findVisible(tenant, macro);
  if (!found) throw unknownReference('macro');
  const { actions } = found;
  await prepareActions(kit, tenant, conversation, actions);
  return tenant.tx(async (tx) => {
    await makeActions(kit, tx, tenant, { conversation, actions, holdSeconds, audit: null });
    tx.created(conversation);
    return expectConversation(tx, conversation);
  });
}

/** Returns the conversation in which a macro was run, as it is now. */
export const readRunConversation = ({ read }: Tenant, id: string): Promise<Conversation> =>
  expectConversation(read, id);

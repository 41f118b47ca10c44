/** Rules: what is done in a conversation when something happens in it and the conditions hold. */
import { isDeepStrictEqual } from 'node:util';
import { lockLimit } from '../../platform/store/limit-lock.ts';
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { expectFound, invalid } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { checkActions } from '../macros/actions.ts';
import { checkConditions } from './conditions.ts';
import {
  countRules,
  deleteRule,
  findRule,
  insertRule,
  listRules,
  lockRule,
  moveOverdue,
  updateRule,
  type RuleFields,
} from './queries.ts';
import { MAX_RULES, type Rule, type RuleCreate, type RuleQuery, type RuleUpdate } from './schemas.ts';

export async function createRule(tenant: Tenant, input: RuleCreate): Promise<Rule> {
  const fields = { after_minutes: null, is_active: true, position: 0, conditions: [], ...input };
  checkTime(fields);
  await checkConditions(tenant.read, fields.conditions);
  await checkActions(tenant.read, fields.actions);
  return tenant.tx(async (tx) => {
    await lockLimit(tx, 'rules');
    if ((await countRules(tx)) >= MAX_RULES)
      throw invalid('name', `is one too many: there are ${MAX_RULES} rules already`, 'LIMIT_REACHED');
    const rule = await insertRule(tx, newId(), fields);
    tx.created(rule._id);
    return rule;
  });
}

function checkTime({ event, after_minutes }: Pick<RuleFields, 'event' | 'after_minutes'>): void {
  if (event === 'REPLY_OVERDUE' && after_minutes === null)
    throw invalid('after_minutes', 'is required by REPLY_OVERDUE', 'REQUIRED');
  if (event !== 'REPLY_OVERDUE' && after_minutes !== null) throw invalid('after_minutes', 'is only for REPLY_OVERDUE');
}

export const readRule = async ({ read }: Pick<Tenant, 'read'>, id: string): Promise<Rule> =>
  expectFound(await findRule(read, id));

/** Finds a rule; null when there is no such rule. */
export const findRuleById = ({ read }: Pick<Tenant, 'read'>, id: string): Promise<Rule | null> => findRule(read, id);

export const pageRules = (tenant: Tenant, query: RuleQuery): Promise<Page<Rule>> =>
  listRules(
    tenant.read,
    { event: query.event ?? null, is_active: query.is_active ?? null },
    pageWindow('rules', query),
  );

/** Conditions and actions are checked only when they change, so that a rule can be turned off that names a record which was deleted. */
export async function updateRuleById(tenant: Tenant, id: string, input: RuleUpdate): Promise<Rule> {
  await readRule(tenant, id);
  if (input.conditions) await checkConditions(tenant.read, input.conditions);
  if (input.actions) await checkActions(tenant.read, input.actions);
  return tenant.tx(async (tx) => {
    const before = expectFound(await lockRule(tx, id));
    const { name, event, after_minutes, is_active, position, conditions, actions } = before;
    const own = { name, event, after_minutes, is_active, position, conditions, actions };
    const ends = input.event !== undefined && input.event !== 'REPLY_OVERDUE';
    const next = { ...own, ...(ends && { after_minutes: null }), ...input };
    checkTime(next);
    if (isDeepStrictEqual(next, own)) return before;
    if (next.after_minutes !== null && next.after_minutes !== after_minutes)
      await moveOverdue(tx, id, next.after_minutes);
    return updateRule(tx, id, next);
  });
}

export function removeRule(tenant: Tenant, id: string): Promise<Rule> {
  return tenant.tx(async (tx) => {
    const rule = expectFound(await lockRule(tx, id));
    await deleteRule(tx, id);
    return rule;
  });
}

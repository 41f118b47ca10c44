import { exec, many, maybeOne, one, oneValue } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { Rule, RuleEvent } from './schemas.ts';

const COLUMNS = `_id, company_id as company, name, event, after_minutes, is_active, position, conditions, actions,
  created_at as "createdAt", updated_at as "updatedAt"`;

/** The fields that a caller can change. */
export type RuleFields = Pick<
  Rule,
  'name' | 'event' | 'after_minutes' | 'is_active' | 'position' | 'conditions' | 'actions'
>;

export function findRule(tx: TenantRead, id: string): Promise<Rule | null> {
  return maybeOne(tx, {
    name: 'rules.find',
    text: `select ${COLUMNS} from rules where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

/** Finds the rules that an event runs, in their order. */
export function findActiveRules(tx: TenantRead, event: RuleEvent): Promise<Rule[]> {
  return many(tx, {
    name: 'rules.findActive',
    text: `select ${COLUMNS} from rules where company_id = $1 and event = $2 and is_active order by position, _id`,
    values: [tx.companyId, event],
  });
}

export function lockRule(tx: TenantTx, id: string): Promise<Rule | null> {
  return maybeOne(tx, {
    name: 'rules.lock',
    text: `select ${COLUMNS} from rules where company_id = $1 and _id = $2 for no key update`,
    values: [tx.companyId, id],
  });
}

export function countRules(tx: TenantTx): Promise<number> {
  return oneValue(tx, {
    name: 'rules.countAll',
    text: `select count(*)::int as count from rules where company_id = $1`,
    values: [tx.companyId],
  });
}

const toValues = ({ name, event, after_minutes, is_active, position, conditions, actions }: RuleFields): unknown[] => [
  name,
  event,
  after_minutes,
  is_active,
  position,
  JSON.stringify(conditions),
  actions,
];

export function insertRule(tx: TenantTx, id: string, fields: RuleFields): Promise<Rule> {
  return one(tx, {
    name: 'rules.insert',
    text: `insert into rules (company_id, _id, name, event, after_minutes, is_active, position, conditions, actions)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${COLUMNS}`,
    values: [tx.companyId, id, ...toValues(fields)],
  });
}

export function updateRule(tx: TenantTx, id: string, fields: RuleFields): Promise<Rule> {
  return one(tx, {
    name: 'rules.update',
    text: `update rules set name = $3, event = $4, after_minutes = $5, is_active = $6, position = $7, conditions = $8, actions = $9,
        updated_at = now()
      where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [tx.companyId, id, ...toValues(fields)],
  });
}

/** Lets the rule look at contacts who wait already when they have waited for so many minutes. */
export function moveOverdue(tx: TenantTx, id: string, minutes: number): Promise<number> {
  return exec(tx, {
    name: 'rules.moveOverdue',
    text: `update rule_events set held_until = awaited_at + make_interval(mins => $3)
      where company_id = $1 and rule_id = $2 and not is_waiting and claimed_at is null`,
    values: [tx.companyId, id, minutes],
  });
}

export function deleteRule(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'rules.delete',
    text: 'delete from rules where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}

export interface RuleFilter {
  event: string | null;
  is_active: boolean | null;
}

export function listRules(tx: TenantRead, { event, is_active }: RuleFilter, window: Window): Promise<Page<Rule>> {
  return listPage(tx, window, {
    name: 'rules',
    columns: COLUMNS,
    from: 'rules',
    filter: `company_id = $1 and ($2::text is null or event = $2) and ($3::boolean is null or is_active = $3)`,
    values: [tx.companyId, event, is_active],
  });
}

/** The tables whose records conditions name, by the word for such a record. */
const TABLES = {
  inbox: 'inboxes',
  agent: 'agents',
  user: 'users',
  team: 'teams',
  step: 'pipeline_steps',
} as const;
export type NamedKind = keyof typeof TABLES;

/** Returns those of the ids that are no record of this kind in the company. */
export async function findMissing(tx: TenantRead, kind: NamedKind, ids: readonly string[]): Promise<string[]> {
  const known = Object.entries(TABLES).map(
    ([name, table]) => `when '${name}' then exists (select from ${table} where company_id = $1 and _id = given.id)`,
  );
  const rows = await many<{ id: string }>(tx, {
    name: 'rules.findMissing',
    text: `select id from unnest($3::text[]) as given (id) where not case $2 ${known.join(' ')} end`,
    values: [tx.companyId, kind, ids],
  });
  return rows.map(({ id }) => id);
}

/** Shows what rules have done, and what they would do. */
import { setImmediate } from 'node:timers/promises';
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { readConversations } from '../conversations/conversations.ts';
import { checkConditions, compileConditions } from './conditions.ts';
import { listActive, listReceived, listRuns } from './run-queries.ts';
import { readRule } from './rules.ts';
import {
  DRY_RUN_DAYS,
  MOST_CHECKED,
  MOST_SHOWN,
  type RuleDryRun,
  type RuleDryRunResult,
  type RuleRun,
  type RuleRunQuery,
} from './schemas.ts';

// Comparing so many texts takes some milliseconds.
const CHECKED_AT_ONCE = 25;

export async function pageRuns(tenant: Tenant, rule: string, query: RuleRunQuery): Promise<Page<RuleRun>> {
  await readRule(tenant, rule);
  return listRuns(tenant.read, { rule, status: query.status ?? null }, pageWindow(`rule-runs:${rule}`, query));
}

/** Applies the conditions to what was written last, with the conversations as they are now. Changes nothing. */
export async function dryRun({ read }: Tenant, { event, conditions = [] }: RuleDryRun): Promise<RuleDryRunResult> {
  await checkConditions(read, conditions);
  const list = event === 'MESSAGE_RECEIVED' ? listReceived : listActive;
  const found = await list(read, DRY_RUN_DAYS, MOST_CHECKED + 1);
  const checked = found.slice(0, MOST_CHECKED);
  const ids = [...new Set(checked.map(({ conversation }) => conversation))];
  const conversations = new Map((await readConversations(read, ids)).map((each) => [each._id, each]));
  const areMet = compileConditions(conditions);
  const matches: RuleDryRunResult['matches'] = [];
  for (const [index, { _id, ...candidate }] of checked.entries()) {
    // Others wait while this process compares texts.
    if (index % CHECKED_AT_ONCE === 0) await setImmediate();
    const conversation = conversations.get(candidate.conversation);
    if (conversation && areMet({ conversation, text: candidate.text }))
      matches.push({ ...candidate, contact_name: conversation.contact_summary.name });
  }
  return {
    checked: checked.length,
    matched: matches.length,
    is_complete: found.length === checked.length,
    matches: matches.slice(0, MOST_SHOWN),
  };
}

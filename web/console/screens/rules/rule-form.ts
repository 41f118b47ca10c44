/** What the form of a rule holds. */
import type { Rule, RuleConditionGroup, RuleCreate, RuleUpdate } from '@parley/sdk';
import type { ActionDraft } from '../../ui/actions/action-kinds.ts';
import { toApiPosition, toShownPosition } from '../../ui/position.ts';

export const EVENTS = [
  'MESSAGE_RECEIVED',
  'CONVERSATION_OPENED',
  'CONVERSATION_ASSIGNED',
  'TAG_ADDED',
  'CONVERSATION_CLOSED',
  'REPLY_OVERDUE',
] as const satisfies readonly Rule['event'][];

export interface RuleForm {
  name: string;
  event: Rule['event'];
  afterMinutes: number;
  isActive: boolean;
  position: number | string | null;
  groups: readonly RuleConditionGroup[];
  actions: ActionDraft;
}

/** What a part of the form gets. */
export interface RulePartProps {
  form: RuleForm;
  error: unknown;
  isLocked: boolean;
  onChange(next: Partial<RuleForm>): void;
}

const USUAL_MINUTES = 60;

export const toForm = (rule: Rule | null): RuleForm => ({
  name: rule?.name ?? '',
  event: rule?.event ?? 'MESSAGE_RECEIVED',
  afterMinutes: rule?.after_minutes ?? USUAL_MINUTES,
  isActive: rule?.is_active ?? true,
  position: toShownPosition(rule?.position ?? 0),
  groups: rule?.conditions ?? [],
  actions: rule?.actions ?? {},
});

/** Returns the rule as the API takes it. Groups without conditions are left out. */
export const toBody = ({ name, event, afterMinutes, isActive, position, groups, actions }: RuleForm): RuleCreate => ({
  name,
  event,
  after_minutes: event === 'REPLY_OVERDUE' ? afterMinutes : null,
  is_active: isActive,
  position: toApiPosition(position),
  conditions: toConditions(groups),
  actions: actions as RuleCreate['actions'],
});

export const toConditions = (groups: readonly RuleConditionGroup[]): RuleConditionGroup[] =>
  groups.filter(({ conditions }) => conditions.length > 0);

/** Returns what was changed in the form, as the API takes it. */
export function pickChanged(before: RuleForm, form: RuleForm): RuleUpdate {
  const old = new Map<string, unknown>(Object.entries(toBody(before)));
  const changed = Object.entries(toBody(form)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(old.get(name)),
  );
  return Object.fromEntries(changed);
}

/** The kinds of actions that the forms of macros and rules offer. */
import type { RuleActions } from '@parley/sdk';
import type { IconName } from '../icon.tsx';

/** Actions while they are written; the platform says what is missing. */
export type ActionDraft = Partial<RuleActions>;

export const ACTION_ICONS = {
  reply: 'send',
  template: 'template',
  note: 'note',
  team: 'contacts',
  owner: 'person',
  agent: 'agent',
  add_tags: 'tag',
  remove_tags: 'tag',
  priority: 'flag',
  step: 'board',
  status: 'check',
  snooze_minutes: 'clock',
  unread: 'unread',
  webhook: 'webhook',
} as const satisfies Partial<Record<keyof RuleActions, IconName>>;
export type ActionKind = keyof typeof ACTION_ICONS;

const KINDS = Object.keys(ACTION_ICONS) as ActionKind[];
/** A macro has no run that could be sent to the webhook. */
export const MACRO_KINDS: readonly ActionKind[] = KINDS.filter((kind) => kind !== 'webhook');
export const RULE_KINDS: readonly ActionKind[] = KINDS;

/** For each of these kinds, the one that cannot be used together with it. */
const EXCLUDES: Partial<Record<ActionKind, ActionKind>> = {
  reply: 'template',
  template: 'reply',
  status: 'snooze_minutes',
  snooze_minutes: 'status',
};

export const canAdd = (draft: ActionDraft, kind: ActionKind): boolean => {
  const other = EXCLUDES[kind];
  return draft[kind] === undefined && (other === undefined || draft[other] === undefined);
};

const HOUR = 60;
/** Returns the actions with a new one. A template and an agent have no value before one is chosen. */
export function addAction(draft: ActionDraft, kind: ActionKind, first: Record<'agent', string>): ActionDraft {
  switch (kind) {
    case 'reply':
    case 'note':
      return { ...draft, [kind]: '' };
    case 'template':
      return { ...draft, template: { name: '', language: '' } };
    case 'agent':
      return { ...draft, agent: first.agent, handled_by: 'AI' };
    case 'add_tags':
    case 'remove_tags':
      return { ...draft, [kind]: [] };
    case 'priority':
      return { ...draft, priority: 'HIGH' };
    case 'status':
      // One that is saved without a look at it closes nothing.
      return { ...draft, status: 'OPEN' };
    case 'snooze_minutes':
      return { ...draft, snooze_minutes: HOUR };
    case 'unread':
    case 'webhook':
      return { ...draft, [kind]: true };
    default:
      return { ...draft, [kind]: null };
  }
}

export function removeAction(draft: ActionDraft, kind: ActionKind): ActionDraft {
  const { [kind]: _removed, ...others } = draft;
  if (kind !== 'agent') return others;
  const { handled_by: _handler, ...rest } = others as ActionDraft;
  return rest;
}

/** Whether the form shows the action; an agent without the conversation being handed to it is not such an action. */
export const isPresent = (draft: ActionDraft, kind: ActionKind): boolean =>
  kind === 'agent' ? Boolean(draft.agent) && draft.handled_by === 'AI' : draft[kind] !== undefined;

/** The names of what the forms do not offer. */
export const listOthers = (draft: ActionDraft, kinds: readonly ActionKind[]): string[] =>
  Object.keys(draft).filter(
    (key) =>
      !kinds.some((kind) => (kind === key || (kind === 'agent' && key === 'handled_by')) && isPresent(draft, kind)),
  );

/** Reads tags that are separated by commas. */
export const readTags = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];

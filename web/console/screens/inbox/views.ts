/** The views of the inbox. The key of a view is its part of the address: `mine`, `snoozed`, `inbox-<id>`, `step-<id>`. */
import type { ConversationCounts, Inbox, Pipeline } from '@parley/sdk';
import type { ConversationFilter } from '../../records/conversations.ts';

/** The views that every company has; their names are texts. */
export const FIXED_VIEWS = ['mine', 'unassigned', 'all', 'pending', 'snoozed', 'closed'] as const;

/** Returns what a view shows to this user; null when there is no such view. */
export function findFilter(key: string, user: string): ConversationFilter | null {
  switch (key) {
    case 'mine':
      return { open: true, owner: user };
    case 'unassigned':
      return { open: true, owner: 'none' };
    case 'all':
      return { open: true };
    case 'pending':
      return { status: 'PENDING' };
    case 'snoozed':
      return { status: 'SNOOZED' };
    case 'closed':
      return { status: 'CLOSED' };
    default: {
      const [, kind, id] = /^(inbox|step)-([0-9a-f]{24})$/.exec(key) ?? [];
      return kind && id ? { open: true, [kind]: id } : null;
    }
  }
}

export function countOf(key: string, counts: ConversationCounts | undefined): number | null {
  if (!counts) return null;
  switch (key) {
    case 'mine':
      return counts.mine;
    case 'unassigned':
      return counts.unassigned;
    case 'all':
      return counts.open;
    case 'pending':
      return counts.status.PENDING;
    case 'snoozed':
      return counts.status.SNOOZED;
    case 'closed':
      return counts.status.CLOSED;
    default:
      return (
        counts.inboxes.find(({ inbox }) => key === `inbox-${inbox}`)?.count ??
        counts.steps.find(({ step }) => key === `step-${step}`)?.count ??
        0
      );
  }
}

export const listInboxViews = (inboxes: readonly Inbox[]): { key: string; name: string }[] =>
  inboxes.filter(({ status }) => status === 'ACTIVE').map(({ _id, name }) => ({ key: `inbox-${_id}`, name }));

export const listStepViews = ({ steps }: Pipeline): { key: string; name: string }[] =>
  steps.map(({ _id, name }) => ({ key: `step-${_id}`, name }));

/** The keys of all views, in their order. */
export const listViewKeys = (inboxes: readonly Inbox[], pipelines: readonly Pipeline[]): readonly string[] => [
  ...FIXED_VIEWS,
  ...[...listInboxViews(inboxes), ...pipelines.flatMap(listStepViews)].map(({ key }) => key),
];

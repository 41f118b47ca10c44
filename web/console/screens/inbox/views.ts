/** The views of the inbox. The key of a view is its part of the address: `mine`, `snoozed`, `team-<id>`, `inbox-<id>`, `step-<id>`, `view-<id>`. */
import type { ConversationCounts, Inbox, Pipeline, Team, View } from '@parley/sdk';
import type { ConversationFilter } from '../../records/conversation-filters.ts';
import { splitFilters } from './list-options.ts';
import { toViewKey } from '../../records/views.ts';
import type { IconName } from '../../ui/icon.tsx';

/** The views that every company has; their names are texts. */
export const FIXED_VIEWS = ['mine', 'unassigned', 'all', 'pending', 'snoozed', 'reached', 'closed'] as const;
type FixedView = (typeof FIXED_VIEWS)[number];

export const VIEW_ICONS: Readonly<Record<FixedView, IconName>> = {
  mine: 'inbox',
  unassigned: 'person',
  all: 'contacts',
  pending: 'pause',
  snoozed: 'clock',
  reached: 'campaign',
  closed: 'check',
};

/** What waits for people. A snoozed conversation comes back at its time. */
const QUEUE = { open: true, snoozed: false } as const;

/** Returns what a view shows to this user, except what the list's menu filters; null when there is no such view. */
export function findFilter(key: string, user: string, saved: View | undefined): ConversationFilter | null {
  if (saved) return splitFilters(saved).base;
  switch (key) {
    case 'mine':
      return { ...QUEUE, owner: user };
    case 'unassigned':
      return { ...QUEUE, owner: 'none', awaits_reply: false };
    case 'all':
      return QUEUE;
    case 'reached':
      return { ...QUEUE, awaits_reply: true };
    case 'pending':
      return { status: 'PENDING' };
    case 'snoozed':
      return { status: 'SNOOZED' };
    case 'closed':
      return { status: 'CLOSED' };
    default: {
      const [, kind, id] = /^(team|inbox|step)-([0-9a-f]{24})$/.exec(key) ?? [];
      if (!kind || !id) return null;
      if (kind === 'team') return { ...QUEUE, team: id };
      return kind === 'step' ? { open: true, step: id } : { ...QUEUE, inbox: id };
    }
  }
}

export function countOf(key: string, counts: ConversationCounts | undefined): number | null {
  if (!counts) return null;
  switch (key) {
    case 'mine':
      return counts.queues.mine;
    case 'unassigned':
      return counts.queues.unassigned;
    case 'all':
      return counts.queues.all;
    case 'reached':
      return counts.queues.awaiting_reply;
    case 'pending':
      return counts.status.PENDING;
    case 'snoozed':
      return counts.status.SNOOZED;
    case 'closed':
      return counts.status.CLOSED;
    default: {
      const queue =
        counts.inboxes.find(({ inbox }) => key === `inbox-${inbox}`) ??
        counts.teams.find(({ team }) => key === `team-${team}`);
      return queue
        ? queue.count - queue.snoozed
        : (counts.steps.find(({ step }) => key === `step-${step}`)?.count ?? 0);
    }
  }
}

export const listTeamViews = (teams: readonly Team[]): { key: string; name: string }[] =>
  teams.map(({ _id, name }) => ({ key: `team-${_id}`, name }));

export const listInboxViews = (inboxes: readonly Inbox[]): { key: string; name: string }[] =>
  inboxes.filter(({ status }) => status === 'ACTIVE').map(({ _id, name }) => ({ key: `inbox-${_id}`, name }));

export const listStepViews = ({ steps }: Pipeline): { key: string; name: string }[] =>
  steps.map(({ _id, name }) => ({ key: `step-${_id}`, name }));

/** The user's private views come before the shared ones. */
export function groupSavedViews(views: readonly View[]): Record<'own' | 'shared', { key: string; name: string }[]> {
  const toLinks = (isShared: boolean): { key: string; name: string }[] =>
    views.filter((view) => view.is_shared === isShared).map(({ _id, name }) => ({ key: toViewKey(_id), name }));
  return { own: toLinks(false), shared: toLinks(true) };
}

interface Sources {
  views: readonly View[];
  teams: readonly Team[];
  inboxes: readonly Inbox[];
  pipelines: readonly Pipeline[];
}

/** The keys of all views, in their order. */
export const listViewKeys = ({ views, teams, inboxes, pipelines }: Sources): readonly string[] => [
  ...FIXED_VIEWS,
  ...Object.values(groupSavedViews(views))
    .flat()
    .map(({ key }) => key),
  ...[...listTeamViews(teams), ...listInboxViews(inboxes), ...pipelines.flatMap(listStepViews)].map(({ key }) => key),
];

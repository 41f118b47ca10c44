/** The screens of the console, by groups, in the order of the navigation. Each is loaded when it is first opened. */
import { useMemo, type ComponentType, type LazyExoticComponent } from 'react';
import { holdsScope, useSession } from '../session/session.ts';
import type { IconName } from '../ui/icon.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import type { GroupName, PartName, ScreenName } from './texts.ts';

export interface Screen {
  /** The first part of its address below the console. */
  path: string;
  name: ScreenName;
  /** The navigation has one link for each group; the screens of a group are sections next to its pages. */
  group: GroupName;
  /** The heading above the section. */
  part?: PartName;
  icon: IconName;
  /** Who may not do this does not see the screen; null is for everybody. */
  scope: string | null;
  /** On a phone the bar has the screens of the daily work, and all of them are behind its last button. */
  isDaily?: boolean;
  Component: LazyExoticComponent<ComponentType>;
}

export const SCREENS: readonly Screen[] = [
  {
    path: 'inbox',
    name: 'inbox',
    group: 'inbox',
    icon: 'inbox',
    scope: 'conversations:read',
    isDaily: true,
    Component: lazyPart(async () => (await import('../screens/inbox/inbox.tsx')).InboxScreen),
  },
  {
    path: 'board',
    name: 'board',
    group: 'board',
    icon: 'board',
    scope: 'pipelines:read',
    isDaily: true,
    Component: lazyPart(async () => (await import('../screens/board/board.tsx')).BoardScreen),
  },
  {
    path: 'contacts',
    name: 'contacts',
    group: 'contacts',
    icon: 'contacts',
    scope: 'contacts:read',
    isDaily: true,
    Component: lazyPart(async () => (await import('../screens/contacts/contacts.tsx')).ContactsScreen),
  },
  {
    path: 'businesses',
    name: 'businesses',
    group: 'contacts',
    icon: 'business',
    scope: 'businesses:read',
    Component: lazyPart(async () => (await import('../screens/businesses/businesses.tsx')).BusinessesScreen),
  },
  {
    path: 'campaigns',
    name: 'campaigns',
    group: 'campaigns',
    icon: 'campaign',
    scope: 'campaigns:read',
    isDaily: true,
    Component: lazyPart(async () => (await import('../screens/campaigns/campaigns.tsx')).CampaignsScreen),
  },
  {
    path: 'rules',
    name: 'rules',
    group: 'automation',
    icon: 'automation',
    scope: 'agents:read',
    Component: lazyPart(async () => (await import('../screens/rules/rules.tsx')).RulesScreen),
  },
  {
    path: 'macros',
    name: 'macros',
    group: 'automation',
    icon: 'wand',
    scope: 'conversations:read',
    Component: lazyPart(async () => (await import('../screens/macros/macros.tsx')).MacrosScreen),
  },
  {
    path: 'agents',
    name: 'agents',
    group: 'automation',
    icon: 'agent',
    scope: 'agents:read',
    Component: lazyPart(async () => (await import('../screens/agents/agents.tsx')).AgentsScreen),
  },
  {
    path: 'knowledge',
    name: 'knowledge',
    group: 'automation',
    icon: 'knowledge',
    scope: 'knowledge:read',
    Component: lazyPart(async () => (await import('../screens/knowledge/knowledge.tsx')).KnowledgeScreen),
  },
  {
    path: 'quick-replies',
    name: 'quick-replies',
    group: 'automation',
    icon: 'quick',
    scope: 'messages:read',
    Component: lazyPart(async () => (await import('../screens/quick-replies/quick-replies.tsx')).QuickRepliesScreen),
  },
  {
    path: 'tables',
    name: 'tables',
    group: 'automation',
    icon: 'table',
    scope: 'tables:read',
    Component: lazyPart(async () => (await import('../screens/tables/tables.tsx')).TablesScreen),
  },
  {
    path: 'reports',
    name: 'reports',
    group: 'reports',
    icon: 'report',
    scope: 'conversations:read',
    Component: lazyPart(async () => (await import('../screens/reports/reports.tsx')).ReportsScreen),
  },
  {
    path: 'company',
    name: 'company',
    group: 'settings',
    part: 'workspace',
    icon: 'store',
    scope: 'companies:read',
    Component: lazyPart(async () => (await import('../screens/company/company.tsx')).CompanyScreen),
  },
  {
    path: 'users',
    name: 'users',
    group: 'settings',
    part: 'workspace',
    icon: 'person',
    scope: 'users:read',
    Component: lazyPart(async () => (await import('../screens/users/users.tsx')).UsersScreen),
  },
  {
    path: 'teams',
    name: 'teams',
    group: 'settings',
    part: 'workspace',
    icon: 'contacts',
    scope: 'users:read',
    Component: lazyPart(async () => (await import('../screens/teams/teams.tsx')).TeamsScreen),
  },
  {
    path: 'inboxes',
    name: 'inboxes',
    group: 'settings',
    part: 'channels',
    icon: 'channel',
    scope: 'inboxes:read',
    Component: lazyPart(async () => (await import('../screens/inboxes/inboxes.tsx')).InboxesScreen),
  },
  {
    path: 'business-hours',
    name: 'business-hours',
    group: 'settings',
    part: 'channels',
    icon: 'clock',
    scope: 'inboxes:read',
    Component: lazyPart(async () => (await import('../screens/business-hours/hours-screen.tsx')).HoursScreen),
  },
  {
    path: 'sla-policies',
    name: 'sla-policies',
    group: 'settings',
    part: 'channels',
    icon: 'flag',
    scope: 'inboxes:read',
    Component: lazyPart(async () => (await import('../screens/sla-policies/policies-screen.tsx')).PoliciesScreen),
  },
  {
    path: 'templates',
    name: 'templates',
    group: 'settings',
    part: 'channels',
    icon: 'template',
    scope: 'inboxes:read',
    Component: lazyPart(async () => (await import('../screens/templates/templates.tsx')).TemplatesScreen),
  },
  {
    path: 'fields',
    name: 'fields',
    group: 'settings',
    part: 'data',
    icon: 'fields',
    scope: 'custom-fields:read',
    Component: lazyPart(async () => (await import('../screens/fields/fields-screen.tsx')).FieldsScreen),
  },
  {
    path: 'api-keys',
    name: 'api-keys',
    group: 'settings',
    part: 'developers',
    icon: 'key',
    scope: 'api-keys:read',
    Component: lazyPart(async () => (await import('../screens/api-keys/api-keys.tsx')).ApiKeysScreen),
  },
  {
    path: 'connected-apps',
    name: 'connected-apps',
    group: 'settings',
    part: 'developers',
    icon: 'link',
    scope: null,
    Component: lazyPart(async () => (await import('../screens/connected-apps/connected-apps.tsx')).ConnectedAppsScreen),
  },
  {
    path: 'webhook',
    name: 'webhook',
    group: 'settings',
    part: 'developers',
    icon: 'webhook',
    scope: 'webhooks:read',
    Component: lazyPart(async () => (await import('../screens/webhook/webhook.tsx')).WebhookScreen),
  },
  {
    path: 'audit',
    name: 'audit',
    group: 'settings',
    part: 'developers',
    icon: 'audit',
    scope: 'audit:read',
    Component: lazyPart(async () => (await import('../screens/audit/audit.tsx')).AuditScreen),
  },
  {
    path: 'profile',
    name: 'profile',
    group: 'settings',
    part: 'personal',
    icon: 'settings',
    scope: null,
    Component: lazyPart(async () => (await import('../screens/profile/profile.tsx')).ProfileScreen),
  },
];

/** The screens that the user may see. */
export function useVisibleScreens(): readonly Screen[] {
  const { scopes } = useSession();
  return useMemo(() => SCREENS.filter(({ scope }) => holdsScope(scopes, scope)), [scopes]);
}

export const isAt = ({ path }: Screen, location: string): boolean =>
  location === `/${path}` || location.startsWith(`/${path}/`);

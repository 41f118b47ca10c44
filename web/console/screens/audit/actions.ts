/** What the platform records in its audit log. test/pages/console-audit.test.ts compares this list with the operations of the API. */
const ACTIONS = {
  agents: ['create', 'update', 'delete', 'cancel-follow-up'],
  'api-keys': ['create', 'delete'],
  attachments: ['create', 'delete'],
  auth: [
    'login',
    'login-refused',
    'logout',
    'reset-password',
    'accept-invitation',
    'enable-second-factor',
    'renew-recovery-codes',
    'disable-second-factor',
    'create-passkey',
    'rename-passkey',
    'remove-passkey',
    'link-single-sign-on',
    'create-user',
  ],
  businesses: ['create', 'update', 'delete'],
  campaigns: ['create', 'update', 'delete', 'start', 'pause', 'resume', 'cancel'],
  'campaign-enrollments': ['create', 'cancel'],
  companies: ['create', 'update', 'set-single-sign-on', 'remove-single-sign-on'],
  'connected-apps': ['create', 'delete'],
  contacts: [
    'create',
    'update',
    'delete',
    'merge',
    'opt-out',
    'import',
    'upsert',
    'start-bulk',
    'cancel-bulk',
    'create-note',
    'update-note',
    'delete-note',
  ],
  conversations: ['create', 'update', 'start-bulk', 'cancel-bulk', 'run-macro', 'draft', 'rewrite', 'summarize'],
  'custom-fields': ['create', 'update', 'delete'],
  deliveries: ['replay', 'start-replay', 'cancel-replay'],
  'door-webhooks': ['update', 'delete'],
  inboxes: ['create', 'update'],
  knowledge: ['create', 'update', 'delete', 'retry'],
  'mcp-servers': ['create', 'update', 'delete'],
  messages: ['create', 'send-bulk', 'revoke', 'translate'],
  pipelines: ['create', 'update', 'delete'],
  'scheduled-messages': ['create', 'update', 'send', 'cancel'],
  'quick-replies': ['create', 'update', 'delete'],
  macros: ['create', 'update', 'delete'],
  rules: ['create', 'update', 'delete'],
  assist: ['update'],
  synonyms: ['update'],
  tables: ['create', 'update', 'delete', 'import', 'create-row', 'update-row', 'delete-row'],
  teams: ['create', 'update', 'delete'],
  'sla-policies': ['create', 'update', 'delete'],
  'business-hours': ['create', 'update', 'delete'],
  templates: ['create', 'delete'],
  users: ['create', 'update', 'delete', 'reset-second-factor'],
  segments: ['create', 'update', 'delete'],
  views: ['create', 'update', 'delete'],
  webhooks: ['create', 'update', 'delete'],
} as const;

export type Resource = keyof typeof ACTIONS;
export type Verb = (typeof ACTIONS)[Resource][number];

export const RESOURCES = Object.keys(ACTIONS) as Resource[];

/** The actions on one kind of record, such as `users.create`. */
export const listActions = (resource: Resource): { action: string; verb: Verb }[] =>
  ACTIONS[resource].map((verb) => ({ action: `${resource}.${verb}`, verb }));

/** The scopes that grant rights: `resource:action`, wildcards, and the scopes of each user role. */
const RESOURCES = [
  'webhooks',
  'inboxes',
  'attachments',
  'knowledge',
  'tables',
  'contacts',
  'businesses',
  'conversations',
  'pipelines',
  'messages',
  'notes',
  'campaigns',
  'campaign-enrollments',
  'agents',
  'custom-fields',
  'companies',
  'users',
  'api-keys',
  'audit',
] as const;
export const ACTIONS = ['create', 'read', 'update', 'delete'] as const;

type Resource = (typeof RESOURCES)[number];
export type Scope = `${Resource}:${(typeof ACTIONS)[number]}`;

export const USER_ROLES = ['OWNER', 'ADMIN', 'OPERATOR', 'VIEWER'] as const;
export type UserRole = (typeof USER_ROLES)[number];

// Notes are read with the messages of their conversation.
const UNREAD = ['audit', 'api-keys', 'webhooks', 'notes'];
const readRecords = RESOURCES.filter((resource) => !UNREAD.includes(resource)).map((resource) => `${resource}:read`);

/**
 * The scopes of each role. Operators work with contacts and conversations; keys, inboxes, webhooks and users are managed by owners and
 * admins.
 */
export const ROLE_SCOPES: Record<UserRole, readonly string[]> = {
  OWNER: ['*'],
  ADMIN: RESOURCES.filter((resource) => resource !== 'companies')
    .map((resource) => `${resource}:*`)
    .concat('companies:read', 'companies:update'),
  OPERATOR: [
    ...readRecords,
    ...['contacts', 'businesses', 'conversations'].flatMap((resource) => [`${resource}:create`, `${resource}:update`]),
    'messages:create',
    'attachments:create',
    'tables:update',
  ],
  VIEWER: readRecords,
};

/** What an app may do that a user has connected: read, also change records, and also write to contacts. */
export const APP_ACCESS = ['READ', 'WRITE', 'SEND'] as const;
export type AppAccess = (typeof APP_ACCESS)[number];

const APP_WRITES: readonly Scope[] = [
  'contacts:create',
  'contacts:update',
  'conversations:update',
  'notes:create',
  'knowledge:create',
  'knowledge:update',
  'tables:create',
  'tables:update',
  'campaigns:update',
  'agents:update',
];

/** Returns those of a user's rights that a connected app has. */
export function limitToApp(granted: readonly string[], access: AppAccess): Scope[] {
  const asked: Scope[] = [...(readRecords as Scope[])];
  if (access !== 'READ') asked.push(...APP_WRITES);
  if (access === 'SEND') asked.push('messages:create');
  return asked.filter((scope) => allows(granted, scope));
}

export function allows(granted: readonly string[], scope: Scope): boolean {
  const [resource] = scope.split(':');
  if (granted.includes(scope) || granted.includes('*') || granted.includes(`${resource}:*`)) return true;
  return scope === 'notes:create' && allows(granted, 'messages:create');
}

interface Implied {
  scopes: readonly string[];
  /** What the scopes show or do, for the documents. */
  words: string;
  /** The resources of which answers show something. */
  shows?: readonly Resource[];
}

/** What scopes show and do beyond the records of their resource, because the contract fixes the records, or which scope an operation takes. */
export const IMPLIED: readonly Implied[] = [
  {
    scopes: ['conversations:read', 'conversations:create', 'conversations:update'],
    words: "a conversation shows its contact's name, phone number and e-mail, and its last message",
    shows: ['contacts', 'messages'],
  },
  {
    scopes: ['messages:read', 'messages:create', 'notes:create'],
    words: "a message shows its contact's name, phone number and e-mail",
    shows: ['contacts'],
  },
  { scopes: ['messages:read'], words: 'a message shows a link to its file', shows: ['attachments'] },
  {
    scopes: ['knowledge:read', 'knowledge:create', 'knowledge:update', 'knowledge:delete'],
    words: 'a knowledge item shows a link to its file',
    shows: ['attachments'],
  },
  { scopes: ['users:read', 'users:update'], words: 'a user shows a link to their picture', shows: ['attachments'] },
  {
    scopes: ['messages:create', 'conversations:create', 'campaign-enrollments:create'],
    words: 'a phone number that no contact has creates one',
  },
  { scopes: ['messages:create'], words: '`notes:create`: a caller that sends messages also writes notes' },
  { scopes: ['campaigns:update'], words: 'a started campaign sends its templates' },
  {
    scopes: ['agents:read'],
    words:
      'turns and follow-ups show what an agent has written to a contact or given to a tool, and the names of files and knowledge items that it has read',
    shows: ['messages', 'attachments', 'knowledge'],
  },
  {
    scopes: ['webhooks:read', 'webhooks:create', 'webhooks:update'],
    words: 'deliveries contain the records of all events, and the URL of the webhook receives them',
    shows: ['contacts', 'messages', 'attachments'],
  },
];

/** All scopes that a key can have. */
export const GRANTABLE: readonly string[] = [
  '*',
  ...RESOURCES.flatMap((resource) => [`${resource}:*`, ...ACTIONS.map((action) => `${resource}:${action}`)]),
];

/** Returns true when `granted` includes every right that the scope `wanted` gives, which may be a wildcard. */
export function covers(granted: readonly string[], wanted: string): boolean {
  if (granted.includes('*')) return true;
  if (wanted === '*') return RESOURCES.every((resource) => covers(granted, `${resource}:*`));
  const [resource = '', action] = wanted.split(':');
  if (action === '*' && !granted.includes(wanted)) {
    return ACTIONS.every((each) => allows(granted, `${resource}:${each}` as Scope));
  }
  return allows(granted, wanted as Scope);
}

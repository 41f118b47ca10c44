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

export type Scope = `${(typeof RESOURCES)[number]}:${(typeof ACTIONS)[number]}`;

export const USER_ROLES = ['OWNER', 'ADMIN', 'OPERATOR', 'VIEWER'] as const;
export type UserRole = (typeof USER_ROLES)[number];

const readRecords = RESOURCES.filter((resource) => !['audit', 'api-keys', 'webhooks'].includes(resource)).map(
  (resource) => `${resource}:read`,
);

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

export function allows(granted: readonly string[], scope: Scope): boolean {
  const [resource] = scope.split(':');
  return granted.includes(scope) || granted.includes('*') || granted.includes(`${resource}:*`);
}

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

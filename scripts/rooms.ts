/** The rooms of src/features in import order: a room imports only rooms listed before it. */
export const ROOMS = [
  'api-keys',
  'users',
  'auth',
  'audit',
  'custom-fields',
  'imports',
  'attachments',
  'inboxes',
  'businesses',
  'contacts',
  'pipelines',
  'companies',
  'conversations',
  'messages',
  'templates',
  'campaigns',
  'knowledge',
  'tables',
  'agents',
  'merges',
  'departures',
  'inbound',
  'webhooks',
] as const;

export type Room = (typeof ROOMS)[number];

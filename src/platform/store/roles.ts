/**
 * The roles of the database as which the platform acts: docs/decisions/0002-roles-and-a-read-role.md. The last two are for users who see only some
 * inboxes: they have the rights of `app` and `read`, but find nothing of the inboxes that the setting app.inboxes does not name.
 */
export const ROLES = {
  app: 'parley_app',
  read: 'parley_read',
  system: 'parley_system',
  member: 'parley_member',
  memberRead: 'parley_member_read',
} as const;

/** The names of the records that conversations and messages are assigned to or come from, also of removed ones. */

export const NAMES = {
  users: 'select _id, name from users where company_id = $1',
  'api-keys': 'select _id, name from api_keys where company_id = $1',
  teams: 'select _id, name from teams where company_id = $1',
  agents: 'select _id, name from agents where company_id = $1',
  inboxes: 'select _id, name from inboxes where company_id = $1',
  steps: 'select _id, name from pipeline_steps where company_id = $1',
} as const;

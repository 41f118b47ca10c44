/** The schemas of the members of an inbox. */
import { Type } from 'typebox';
import { declareLimit } from '../../../platform/values/limits.ts';
import { recordId } from '../../../platform/values/schema.ts';

const MOST_USERS = declareLimit(200, { topic: 'Accounts', what: 'Users with access to an inbox', beyond: '400' });
const MOST_TEAMS = declareLimit(100, { topic: 'Accounts', what: 'Teams with access to an inbox', beyond: '400' });

export const MEMBERS =
  'Who sees the inbox and its conversations, and answers there, besides owners and admins; null, the default: all users. API keys see all inboxes';
export const members = {
  users: Type.Array(recordId('user'), { maxItems: MOST_USERS, uniqueItems: true, description: 'These users' }),
  teams: Type.Array(recordId('team'), {
    maxItems: MOST_TEAMS,
    uniqueItems: true,
    description: 'The members of these teams',
  }),
};

import { Type, type Static } from 'typebox';
import { pageQuery, pageSchema, searchParameter } from '../../platform/store/paging.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import {
  define,
  Name,
  nullable,
  oneOf,
  plain,
  recordId,
  ref,
  strict,
  Timestamp,
} from '../../platform/values/schema.ts';

export const MAX_TEAMS = declareLimit(100, { topic: 'Accounts', what: 'Teams per company', beyond: '400' });
const MAX_MEMBERS = declareLimit(200, { topic: 'Accounts', what: 'Members of a team', beyond: '400' });

const MAX_CAPACITY = declareLimit(1_000, { topic: 'Accounts', what: 'Capacity of a member of a team', beyond: '400' });

const distribution = oneOf(
  ['MANUAL', 'ROUND_ROBIN', 'LEAST_LOADED'],
  'Who becomes the owner of conversations of the team without one. MANUAL: nobody, until someone takes them; ROUND_ROBIN: the members in ' +
    'turn; LEAST_LOADED: the member who owns the fewest open conversations. Only members who are ACTIVE and ONLINE, and whose role can send',
);
const CAPACITY =
  'The most open conversations that a member owns, of all teams, before this team gives the member no more; null for no limit';

export const Team = define(
  'Team',
  Type.Object({
    _id: recordId('team'),
    company: recordId('company'),
    name: plain.name,
    description: nullable(plain.text('What the team does')),
    distribution,
    capacity: nullable(plain.integer(CAPACITY)),
    members: Type.Array(recordId('user'), { description: 'Its users, except those who are INACTIVE' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Team = Static<typeof Team>;

const name = Type.String({ ...Name, maxLength: 80, description: 'Unique in the company, ignoring case' });
const optional = {
  description: Type.Optional(nullable(Type.String({ maxLength: 500, description: 'What the team does' }))),
  distribution: Type.Optional(distribution),
  capacity: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: MAX_CAPACITY, description: CAPACITY }))),
  members: Type.Optional(
    Type.Array(recordId('user'), {
      maxItems: MAX_MEMBERS,
      uniqueItems: true,
      description: 'The users of the team; replaces all members. A user may be in several teams',
    }),
  ),
};

export const TeamCreate = define('TeamCreate', strict({ name, ...optional }));
export type TeamCreate = Static<typeof TeamCreate>;

export const TeamUpdate = define('TeamUpdate', strict({ name: Type.Optional(name), ...optional }));
export type TeamUpdate = Static<typeof TeamUpdate>;

export const TeamParams = Type.Object({ id: recordId('team') });
export const TeamList = pageSchema(ref(Team));
export const TeamQuery = pageQuery('-createdAt', {
  member: Type.Optional(recordId('user', 'Only the teams of this user')),
  search: searchParameter('Part of the name'),
});
export type TeamQuery = Static<typeof TeamQuery>;

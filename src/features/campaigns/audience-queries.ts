/** Statements about the audience of a campaign. Filters are the same as those of the list of contacts. */
import { exec, many } from '../../platform/store/db.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { ValueSource } from '../../channels/templates/variables.ts';
import { VISIBLE_CHARACTER } from '../../platform/values/words.ts';
import {
  joinNames,
  joinOpenConversation,
  NAME_KEY,
  restingSql,
  windowOpenSql,
  type Bind,
  type FactsSql,
} from '../admission/recipient-sql.ts';
import type { SkipReason } from './schemas.ts';

export interface AudienceMatch {
  /** The filters as a condition whose parameters follow that of the company; null for no filters. */
  filters: { exact: string; values: string[] } | null;
  tags: string[];
  contacts: string[];
}

/** Where a contact needs a value; the id of a custom field in place of its slug. */
export interface NeededValue extends Pick<ValueSource, 'field' | 'column'> {
  customField: string | null;
}

export interface SkipRules {
  campaign: string;
  inbox: string;
  /** The kinds of names that messages are sent to, with their places; the most reliable kind has place 0. */
  places: Record<string, number>;
  needed: NeededValue[];
  restingCodes: readonly string[];
  /** Returns an SQL expression: the code of the first rule that refuses a recipient with these facts, or null. */
  refusal(facts: FactsSql, bind: Bind): string;
}

/** The parameters of a statement whose text depends on the request. */
interface Parameters {
  values: unknown[];
  bind: Bind;
}

function startParameters(values: unknown[]): Parameters {
  return { values, bind: (value, type) => `$${values.push(value)}::${type}` };
}

/** Returns the condition for the contacts of an audience. `contacts` may name contacts that have been merged into others since. */
function audienceSql({ bind }: Parameters, { filters, tags, contacts }: AudienceMatch): string {
  const listed = bind(contacts, 'text[]');
  const named = `_id = any(${listed}) or _id in (
    select a.contact_id from absorbed_contacts a where a.company_id = $1 and a._id = any(${listed}))`;
  if (filters === null && tags.length === 0) return named;
  const tagged = tags.length > 0 ? `tags && ${bind(tags, 'text[]')}` : 'true';
  return `${named} or (${tagged}${filters?.exact ?? ''})`;
}

/** Returns an expression for the reason for which the contact `c` is skipped; null when nothing speaks against it. */
function skipReasonSql({ bind }: Parameters, { needed, restingCodes, refusal }: SkipRules, inbox: string): string {
  const facts = {
    blocked: 'c.blocked',
    opted_out: 'c.opted_out',
    name: NAME_KEY,
    is_engaged: 'v._id is not null',
    country_code: 'c.country_code',
    is_resting: restingCodes.length > 0 ? restingSql(bind(restingCodes, 'text[]')) : 'false',
    window_open: windowOpenSql(inbox),
  };
  const missing = needed.map((value) => `(${missingSql({ bind }, value)})`).join(' or ') || 'false';
  return `coalesce(${refusal(facts, bind)}, case when ${missing} then 'MISSING_VARIABLE' end)`;
}

/** Returns the condition that a contact has no value where it is needed, nor the enrollment `a` by which it was added. */
function missingSql({ bind }: Pick<Parameters, 'bind'>, { field, customField, column }: NeededValue): string {
  const absent = [
    ...(field === null ? [] : [`c.${field}`]),
    ...(customField === null ? [] : [customFieldSql(`c.custom_fields -> ${bind(customField, 'text')}`)]),
    ...(column === null ? [] : [`a.recipient -> 'columns' ->> ${bind(column, 'text')}`]),
  ].map((value) => `coalesce(${value}, '') !~ '${VISIBLE_CHARACTER}'`);
  return absent.join(' and ') || 'true';
}

/** The value of a custom field as a template shows it. */
const customFieldSql = (value: string): string => `case jsonb_typeof(${value})
    when 'array' then (select string_agg(each, ', ') from jsonb_array_elements_text(${value}) each) else ${value} #>> '{}' end`;

const CONTACT_COLUMNS = `_id, name, email, phone_number, country_code, professional_network_identifier, external_id, language,
  custom_fields, opted_out, blocked`;

/** Returns a query of the audience and of the contacts that were added, with the reason for which each is skipped. */
function judgedSql(parameters: Parameters, match: AudienceMatch, rules: SkipRules): string {
  const { bind } = parameters;
  const campaign = bind(rules.campaign, 'text');
  const inbox = bind(rules.inbox, 'text');
  return `audience as (
      select ${CONTACT_COLUMNS} from contacts where company_id = $1 and (${audienceSql(parameters, match)} or _id in (
        select contact_id from campaign_enrollments where company_id = $1 and campaign_id = ${campaign}))
    ), judged as (
      select c._id, ${skipReasonSql(parameters, rules, inbox)} as reason
      from audience c ${joinOpenConversation(inbox)}
        ${joinNames(bind(rules.places, 'jsonb'))}
        left join campaign_enrollments a on a.company_id = $1 and a.campaign_id = ${campaign} and a.contact_id = c._id
    )`;
}

/** Counts the contacts of an audience by the reason for which they would be skipped; null for those who would not be. */
export function countAudience(
  tx: TenantRead,
  match: AudienceMatch,
  rules: SkipRules,
): Promise<{ reason: SkipReason | null; count: number }[]> {
  const parameters = startParameters([tx.companyId, ...(match.filters?.values ?? [])]);
  const judged = judgedSql(parameters, match, rules);
  return many(tx, {
    name: 'campaigns.countAudience',
    text: `with ${judged} select reason, count(*)::int as count from judged group by reason order by reason`,
    values: parameters.values,
    planEachTime: true,
  });
}

/** Returns the next contacts of an audience who are not skipped, in the order in which the campaign writes to them. */
export function listNext(
  tx: TenantRead,
  match: AudienceMatch,
  rules: SkipRules,
  { after, most }: { after: string; most: number },
): Promise<{ _id: string }[]> {
  const parameters = startParameters([tx.companyId, ...(match.filters?.values ?? [])]);
  const judged = judgedSql(parameters, match, rules);
  return many(tx, {
    name: 'campaigns.listNext',
    text: `with ${judged} select _id from judged where reason is null and _id > ${parameters.bind(after, 'text')}
      order by _id limit ${parameters.bind(most, 'int')}`,
    values: parameters.values,
    planEachTime: true,
  });
}

/** Returns, by the id of the contact, the values that were given when contacts were added to the campaign. */
export async function findGivenValues(
  tx: TenantRead,
  campaign: string,
  contacts: string[],
): Promise<Map<string, Record<string, string>>> {
  const rows = await many<{ contact: string; columns: Record<string, string> }>(tx, {
    name: 'campaigns.findGivenValues',
    text: `select contact_id as contact, recipient -> 'columns' as columns from campaign_enrollments
      where company_id = $1 and campaign_id = $2 and contact_id = any($3::text[]) and recipient -> 'columns' is not null`,
    values: [tx.companyId, campaign, contacts],
  });
  return new Map(rows.map(({ contact, columns }) => [contact, columns]));
}

interface Enrolling {
  campaign: string;
  /** The id of the last contact that was looked at; null at the beginning. */
  after: string | null;
  /** Contacts that were created later are not enrolled. */
  until: string | null;
  delayMinutes: number;
  /** Whether the values of the contacts are kept, because the templates name some. */
  keepsValues: boolean;
  /** The number of contacts to look at. */
  most: number;
}

/** The values of a contact that templates can name, in the form of RecipientContact, from a row of the contacts. */
export const RECIPIENT = `jsonb_build_object('name', name, 'email', email, 'phone_number', phone_number, 'country_code', country_code,
  'professional_network_identifier', professional_network_identifier, 'external_id', external_id, 'language', language,
  'custom_fields', custom_field_values(company_id, custom_fields))`;

/** Enrols those of the next contacts who are in the audience. Returns the last contact that was looked at, and how many were. */
export async function enrolPortion(
  tx: TenantTx,
  match: AudienceMatch,
  { campaign, after, until, delayMinutes, keepsValues, most }: Enrolling,
): Promise<{ last: string | null; looked: number }> {
  const parameters = startParameters([tx.companyId, ...(match.filters?.values ?? [])]);
  const { bind, values } = parameters;
  const condition = audienceSql(parameters, match);
  const isListed = match.filters === null && match.tags.length === 0;
  const rows = await many<{ last: string | null; looked: number }>(tx, {
    name: 'campaigns.enrolPortion',
    text: `with walked as (
        select * from contacts where company_id = $1 and _id > coalesce(${bind(after, 'text')}, '') ${isListed ? `and (${condition})` : ''}
        order by _id limit ${bind(most, 'int')}
      ), added as (
        insert into campaign_enrollments (company_id, _id, campaign_id, contact_id, recipient, next_run_at)
          select $1, new_id(), ${bind(campaign, 'text')}, _id, ${keepsValues ? RECIPIENT : 'null'}, now() + make_interval(mins => ${bind(delayMinutes, 'int')})
          from walked where created_at <= coalesce(${bind(until, 'timestamptz')}, now()) ${isListed ? '' : `and (${condition})`} order by _id
          on conflict (company_id, campaign_id, contact_id) do nothing
      )
      select max(_id) as last, count(*)::int as looked from walked`,
    values,
    planEachTime: true,
  });
  return rows[0] ?? { last: null, looked: 0 };
}

export function setEnrolled(
  tx: TenantTx,
  campaign: string,
  { upto, isEnrolled }: { upto: string | null; isEnrolled: boolean },
): Promise<number> {
  return exec(tx, {
    name: 'campaigns.setEnrolled',
    text: 'update campaigns set enrolled_upto = $3, is_enrolled = $4 where company_id = $1 and _id = $2',
    values: [tx.companyId, campaign, upto, isEnrolled],
  });
}

/** Statements about inboxes, across companies, which are needed to store callbacks. */
import type { Hours } from '../../channels/office-hours.ts';
import type { ChannelName } from '../../channels/registry.ts';
import { exec, many, maybeOne } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { BEGUN_HISTORY, COLUMNS, type InboxRow } from './queries.ts';

/** An inbox whose coexistence the network has reported. */
export interface SharedInbox {
  company: string;
  inbox: string;
  /** True when the old messages of the phone were not asked for yet. */
  lacks_history: boolean;
}

/** Stores the coexistence that the network reports for an account, in each of its inboxes, unless a newer report is stored. */
export function setCoexistence(
  tx: SystemTx,
  channel: ChannelName,
  news: { account: string; enabled: boolean; at: string },
): Promise<SharedInbox[]> {
  return many(tx, {
    name: 'inboxes.setCoexistence',
    text: `update inboxes set coexistence_enabled = $3, coexistence_told_at = $4,
        history = case when history is null and $3 and not coexistence_enabled then ${BEGUN_HISTORY} else history end,
        updated_at = case when coexistence_enabled = $3 then updated_at else now() end
      where channel = $1 and network_account = $2 and status = 'ACTIVE' and accepted_at is not null
        and (coexistence_told_at is null or coexistence_told_at <= $4)
      returning company_id as company, _id as inbox,
        (coexistence_enabled and history @> '{"status":"REQUESTED","requested_at":null}') is true as lacks_history`,
    values: [channel, news.account, news.enabled, news.at],
  });
}

/** Finds the inboxes of an account that the network has accepted, of any company. */
export function findInboxesOfAccount(
  tx: SystemTx,
  channel: ChannelName,
  account: string,
): Promise<{ company: string; inbox: string }[]> {
  return many(tx, {
    name: 'inboxes.findOfAccount',
    text: `select company_id as company, _id as inbox from inboxes
      where channel = $1 and network_account = $2 and status = 'ACTIVE' and accepted_at is not null`,
    values: [channel, account],
  });
}

/** Stores how many people a business may write to in a day, in each company with an inbox of the account, unless a newer report is stored. */
export function setPeopleLimit(
  tx: SystemTx,
  channel: ChannelName,
  news: { account: string; people: number; at: string },
): Promise<number> {
  return exec(tx, {
    name: 'inboxes.setPeopleLimit',
    text: `update portfolios set people_limit = $3, told_at = $4
      where channel = $1 and accounts @> array[$2::text] and (told_at is null or told_at <= $4)`,
    values: [channel, news.account, news.people, news.at],
  });
}

/** The data of an inbox that is needed to store its callbacks. */
export interface Receiver {
  company: string;
  inbox: string;
  address: string;
  channel: ChannelName;
  default_agent: string | null;
  default_owner: string | null;
  default_team: string | null;
  /** The business hours of an inbox with an away text; null for one without either. */
  away_hours: Hours | null;
  coexistence_enabled: boolean;
  process_unsupported_messages: boolean;
  disable_inbound_ai: boolean;
  is_test: boolean;
  /** True for an inbox of a suspended company: its messages are stored, but no agent answers and no event is emitted. */
  suspended: boolean;
  test_numbers: string[];
  /** True when a rule of the company waits for messages of contacts. */
  has_rules: boolean;
  /** True when a client has asked that messages are marked as read on the network when they arrive. */
  reads_on_arrival: boolean;
}

/**
 * Finds the inboxes that receive for these addresses: inboxes that are ACTIVE and accepted by the network, even those of suspended
 * companies.
 */
export function findReceivers(tx: SystemTx, channel: ChannelName, addresses: string[]): Promise<Receiver[]> {
  return many(tx, {
    name: 'inboxes.findReceivers',
    text: `select i.company_id as company, i._id as inbox, i.network_address as address, i.channel, i.default_agent,
        seeing_owner(i) as default_owner, i.default_team, i.coexistence_enabled, i.process_unsupported_messages, i.disable_inbound_ai,
        (i.test_mode->>'enabled')::boolean as is_test, i.test_mode->'test_numbers' as test_numbers, c.status <> 'ACTIVE' as suspended,
        has_rule(i.company_id, 'MESSAGE_RECEIVED') as has_rules,
        (i.door_settings @> '{"readMessages":true}') is true as reads_on_arrival,
        case when i.away_text is not null and i.business_hours is not null then
          (select json_build_object('time_zone', h.time_zone, 'days', h.days, 'special_dates', h.special_dates)
            from business_hours h where h.company_id = i.company_id and h._id = i.business_hours) end as away_hours
      from inboxes i join companies c on c._id = i.company_id
      where i.channel = $1 and i.network_address = any($2) and i.status = 'ACTIVE' and i.accepted_at is not null`,
    values: [channel, addresses],
  });
}

/** Replaces a site that web chats allow by another one. Returns the number of changed inboxes. */
export function replaceAllowedOrigin(tx: SystemTx, from: string, to: string): Promise<number> {
  return exec(tx, {
    name: 'inboxes.replaceAllowedOrigin',
    text: `update inboxes set settings = jsonb_set(settings, '{web_config,allowed_origins}', (
        select jsonb_agg(case when o = to_jsonb($1::text) then to_jsonb($2::text) else o end)
        from jsonb_array_elements(settings->'web_config'->'allowed_origins') o))
      where channel = 'WEB_V2' and settings->'web_config'->'allowed_origins' ? $1`,
    values: [from, to],
  });
}

/** Finds the oldest web chat that allows a site. */
export function findOldestAllowing(tx: SystemTx, origin: string): Promise<{ inbox: string } | null> {
  return maybeOne(tx, {
    name: 'inboxes.findOldestAllowing',
    text: `select _id as inbox from inboxes
      where channel = 'WEB_V2' and status = 'ACTIVE' and settings->'web_config'->'allowed_origins' ? $1
      order by created_at, _id limit 1`,
    values: [origin],
  });
}

/** Finds an inbox that its network calls by its id. `receives` is true when it is ACTIVE and accepted by the network. */
export function findCalled(
  tx: SystemTx,
  channel: ChannelName,
  id: string,
): Promise<(InboxRow & { receives: boolean }) | null> {
  return maybeOne(tx, {
    name: 'inboxes.findCalled',
    text: `select ${COLUMNS}, status = 'ACTIVE' and accepted_at is not null as receives from inboxes where _id = $2 and channel = $1`,
    values: [channel, id],
  });
}

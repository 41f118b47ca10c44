/** What is known of a recipient, and the parts of statements that find it. Their first parameter is the company. */

/** What is known of a person. */
export interface Facts {
  blocked: boolean;
  opted_out: boolean;
  /** The name that the message is sent to, by nameKey(); null when the network knows the person by none. */
  name: string | null;
  /** Whether the message would interrupt an open conversation in the inbox. */
  is_engaged: boolean;
  country_code: string | null;
  /** Whether a message to the person failed within the last day with a code that forbids another one for a day. */
  is_resting: boolean;
  /** Whether the person has written in the inbox in the last 24 hours. */
  window_open: boolean;
}

/** An expression for each fact. */
export type FactsSql = Record<keyof Facts, string>;

/** Adds a value to a statement, and returns its placeholder. */
export type Bind = (value: unknown, type: string) => string;

/** The open conversation `v` of the contact `c` in the inbox. */
export const joinOpenConversation = (inbox: string): string =>
  `left join conversations v on v.company_id = $1 and v.inbox_id = ${inbox} and v.contact_id = c._id and v.status <> 'CLOSED'`;

/**
 * The names `named.names` of the contact `c` on a channel, as Identity, in the order in which messages are sent to them: the one from which
 * the contact wrote last in the conversation `v`, or else those of the most reliable kind, preferably the one that the contact's record shows, or
 * else the newest. `places` is a JSON object: the channel's kinds with their places.
 */
export const joinNames = (places: string): string => `cross join lateral (
    select json_agg(json_build_object('kind', n.kind, 'value', n.value, 'address', n.address)
      order by n.value = v.heard_from desc, ${places} -> n.kind,
        array[n.value, n.address] && array[regexp_replace(c.phone_number, '\\D', '', 'g'), lower(c.email),
          c.professional_network_identifier, c.external_id] desc,
        n.created_at desc) as names
    from contact_identities n
    where n.company_id = $1 and n.contact_id = c._id and ${places} ? n.kind) named`;

/** The fact `name`, of the first name. */
export const NAME_KEY = `(named.names -> 0 ->> 'kind') || ' ' || (named.names -> 0 ->> 'value')`;

/** The fact `window_open`. */
export const windowOpenSql = (inbox: string): string => `exists (
    select from conversations o where o.company_id = $1 and o.inbox_id = ${inbox} and o.contact_id = c._id and o.window_expires_at > now())`;

/** The fact `is_resting`. */
export const restingSql = (codes: string): string => `cardinality(${codes}) > 0 and exists (
    select from messages r where r.company_id = $1 and r.contact_id = c._id and r.failed_at > now() - interval '24 hours'
      and r.errors -> 0 ->> 'code' = any(${codes}))`;

import type { ChannelName } from '../../channels/registry.ts';
import { exec, many, maybeOne, one } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { Template } from './schemas.ts';

/** A template as it is stored; the rest of its record follows from the components. */
export type TemplateRow = Omit<Template, 'parameters' | 'unsupported' | 'editable'>;

const COLUMNS = `_id, company_id as company, name, language, category, status, quality, parameter_format, components, network_id,
  rejected_reason, fetched_at, created_at as "createdAt", updated_at as "updatedAt"`;

/** The copy of the templates of an account. */
export interface Catalogue {
  _id: string;
  fetched_at: string | null;
  error: string | null;
  /** Whether the last copy is older than ten minutes. */
  is_old: boolean;
  /** Whether a copy waits for a worker or is in progress. */
  is_being_copied: boolean;
}

const CATALOGUE = `_id, fetched_at, error, coalesce(fetched_at < now() - interval '10 minutes', true) as is_old,
  is_waiting or held_until is not null as is_being_copied`;

/** The account of a network, which has the templates of all its inboxes. */
export interface Account {
  channel: ChannelName;
  account: string;
}

export function findCatalogue(tx: TenantRead, { channel, account }: Account): Promise<Catalogue | null> {
  return maybeOne(tx, {
    name: 'templates.findCatalogue',
    text: `select ${CATALOGUE} from template_catalogues where company_id = $1 and channel = $2 and account = $3`,
    values: [tx.companyId, channel, account],
  });
}

/** Returns the catalogue of the account and creates it, to be copied at once, when there is none. */
export function ensureCatalogue(tx: TenantTx, id: string, { channel, account }: Account): Promise<Catalogue> {
  return one(tx, {
    name: 'templates.ensureCatalogue',
    text: `insert into template_catalogues as c (company_id, _id, channel, account) values ($1, $2, $3, $4)
      on conflict (company_id, channel, account) do update set channel = excluded.channel returning ${CATALOGUE}`,
    values: [tx.companyId, id, channel, account],
  });
}

/**
 * Requests a new copy of the catalogue, at the earliest `pauseSeconds` after the last one began. A copy that is in progress is followed by
 * another one.
 */
export function wantCopy(tx: TenantTx, id: string, pauseSeconds: number): Promise<number> {
  return exec(tx, {
    name: 'templates.wantCopy',
    text: `update template_catalogues set
        due_at = least(due_at, greatest(now(), claimed_at + make_interval(secs => $3))),
        is_waiting = is_waiting or (held_until is null and coalesce(claimed_at + make_interval(secs => $3) <= now(), true))
      where company_id = $1 and _id = $2`,
    values: [tx.companyId, id, pauseSeconds],
  });
}

/** The inbox, as far as its templates depend on it. */
export interface TemplateInbox {
  _id: string;
  channel: ChannelName;
  status: 'ACTIVE' | 'DELETED';
  account: string | null;
  /** The company's time zone, in which times in templates are written. */
  time_zone: string | null;
}

export function findTemplateInbox(tx: TenantRead, id: string): Promise<TemplateInbox | null> {
  return maybeOne(tx, {
    name: 'templates.findInbox',
    text: `select i._id, i.channel, i.status, i.network_account as account, c.general_config ->> 'time_zone' as time_zone
      from inboxes i join companies c on c._id = i.company_id where i.company_id = $1 and i._id = $2`,
    values: [tx.companyId, id],
  });
}

export interface TemplateFilter {
  name: string | null;
  language: string | null;
  category: string | null;
  status: string | null;
  search: string | null;
}

// An account has some thousand templates at most, so a search without an index is quick.
const FILTER = `company_id = $1 and catalogue_id = $2 and ($3::text is null or name = $3) and ($4::text is null or language = $4)
  and ($5::text is null or category = $5) and ($6::text is null or status = $6)
  and ($7::text is null or strpos(name, fold($7)) > 0
    or strpos(fold(jsonb_path_query_array(components, '$[*].text')::text), fold($7)) > 0)`;

export function listTemplates(
  tx: TenantRead,
  catalogue: string,
  filter: TemplateFilter,
  window: Window,
): Promise<Page<TemplateRow>> {
  return listPage(tx, window, {
    name: 'templates',
    columns: COLUMNS,
    from: 'templates',
    filter: FILTER,
    values: [tx.companyId, catalogue, filter.name, filter.language, filter.category, filter.status, filter.search],
  });
}

export function findTemplate(tx: TenantRead, id: string): Promise<TemplateRow | null> {
  return maybeOne(tx, {
    name: 'templates.find',
    text: `select ${COLUMNS} from templates where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

/** Finds a template in all its languages. */
export function findByName(tx: TenantRead, catalogue: string, name: string): Promise<TemplateRow[]> {
  return many(tx, {
    name: 'templates.findByName',
    text: `select ${COLUMNS} from templates where company_id = $1 and catalogue_id = $2 and name = $3 order by language`,
    values: [tx.companyId, catalogue, name],
  });
}

export type NewTemplate = Pick<
  TemplateRow,
  'name' | 'language' | 'category' | 'status' | 'quality' | 'parameter_format' | 'components' | 'network_id'
>;

/** Stores a template that the network has just accepted for its review. */
export function insertSubmitted(
  tx: TenantTx,
  { _id, catalogue }: { _id: string; catalogue: string },
  template: NewTemplate,
): Promise<TemplateRow> {
  return one(tx, {
    name: 'templates.insertSubmitted',
    text: `insert into templates (company_id, _id, catalogue_id, name, language, category, status, quality, parameter_format, components,
        network_id, fetched_at, noted_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now(), now())
      on conflict (company_id, catalogue_id, name, language) do update
        set category = excluded.category, status = excluded.status, quality = excluded.quality, parameter_format = excluded.parameter_format,
          components = excluded.components, network_id = excluded.network_id, rejected_reason = null, fetched_at = now(),
          noted_at = now(), updated_at = now()
      returning ${COLUMNS}`,
    values: [
      tx.companyId,
      _id,
      catalogue,
      template.name,
      template.language,
      template.category,
      template.status,
      template.quality,
      template.parameter_format,
      JSON.stringify(template.components),
      template.network_id,
    ],
  });
}

/** Deletes a template in all its languages. No page that was requested from the network before stores it again. */
export async function deleteByName(tx: TenantTx, catalogue: string, name: string): Promise<void> {
  await exec(tx, {
    name: 'templates.waitForPage',
    text: 'select from template_catalogues where company_id = $1 and _id = $2 for no key update',
    values: [tx.companyId, catalogue],
  });
  await exec(tx, {
    name: 'templates.deleteByName',
    text: `with noted as (
        insert into template_removals (company_id, catalogue_id, name, removed_at) values ($1, $2, $3, clock_timestamp())
        on conflict (company_id, catalogue_id, name) do update set removed_at = excluded.removed_at
      )
      delete from templates where company_id = $1 and catalogue_id = $2 and name = $3`,
    values: [tx.companyId, catalogue, name],
  });
}

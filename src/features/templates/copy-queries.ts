/** Statements of the worker that copies the catalogues of all companies: they claim a catalogue, store its pages, and store the result. */
import type { ChannelName } from '../../channels/registry.ts';
import type { NetworkTemplate } from '../../channels/templates/network.ts';
import { pickValues } from '../../platform/work/claims/fair-pick.ts';
import { leaseColumns, pickLeased, type LeasedRow, type LeasedTable } from '../../platform/work/claims/leases.ts';
import type { ClaimCapacity, RowOutcome } from '../../platform/work/claims/queue.ts';
import { exec, many, maybeOne, one } from '../../platform/store/db.ts';
import { isPicked } from '../../platform/store/picked-rows.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

export interface ClaimedCatalogue extends LeasedRow {
  channel: ChannelName;
  account: string;
  failures: number;
  /** When the copy began that this turn continues; the present time for a new copy. */
  pass_at: string;
  /** The network's cursor of the next page; null for the first page. */
  pass_after: string | null;
}

export const COPY_QUEUE: LeasedTable = {
  table: 'template_catalogues',
  order: 'due_at',
  dueAt: 'coalesce(held_until, due_at)',
};

/** Claims catalogues, a few of each company in turn. `due_at` becomes infinity, so that no further copy follows until one is requested. */
export async function claimCatalogues(
  tx: SystemTx,
  capacity: ClaimCapacity,
): Promise<{ claimed: ClaimedCatalogue[]; dismissed: number }> {
  const claimed = await many<ClaimedCatalogue>(tx, {
    name: 'templates.claimCatalogues',
    text: `${pickLeased(COPY_QUEUE)}
      update template_catalogues c set ${leaseColumns(COPY_QUEUE)}, due_at = 'infinity', pass_at = coalesce(pass_at, now())
      from picked where ${isPicked('c')}
      returning c.company_id as company, c._id, claimed_at, channel, account, failures, pass_at, pass_after`,
    values: pickValues(capacity),
  });
  return { claimed, dismissed: 0 };
}

/** The result of one turn of copying a catalogue. */
export interface TurnOutcome extends RowOutcome {
  company: string;
  /** When the copy began, so that a turn which ends late changes nothing of a later copy. */
  pass_at: string;
  /** Whether the copy goes on in a later turn. */
  is_unfinished: boolean;
  /** Whether the copy is complete. */
  is_complete: boolean;
  error: string | null;
  /** When the catalogue is copied again, or tried again. */
  pause_seconds: number;
}

export function recordTurns(tx: SystemTx, outcomes: TurnOutcome[]): Promise<number> {
  return exec(tx, {
    name: 'templates.recordTurns',
    text: `update template_catalogues c set held_until = null, error = o.error, is_waiting = o.is_unfinished,
        failures = case when o.error is null then 0 else c.failures + 1 end,
        due_at = least(c.due_at, now() + make_interval(secs => o.pause_seconds)),
        fetched_at = case when o.is_complete then c.pass_at else c.fetched_at end,
        pass_at = case when o.is_unfinished then c.pass_at end, pass_after = case when o.is_unfinished then c.pass_after end
      from unnest($1::text[], $2::text[], $3::timestamptz[], $4::boolean[], $5::boolean[], $6::text[], $7::int[])
        as o (company_id, _id, pass_at, is_unfinished, is_complete, error, pause_seconds)
      where c.company_id = o.company_id and c._id = o._id and c.pass_at = o.pass_at`,
    values: [
      outcomes.map((outcome) => outcome.company),
      outcomes.map((outcome) => outcome._id),
      outcomes.map((outcome) => outcome.pass_at),
      outcomes.map((outcome) => outcome.is_unfinished),
      outcomes.map((outcome) => outcome.is_complete),
      outcomes.map((outcome) => outcome.error),
      outcomes.map((outcome) => outcome.pause_seconds),
    ],
  });
}

/** Finds an inbox whose credentials can read the account, if its company is not suspended. */
export function findReader(
  tx: SystemTx,
  { company, channel, account }: Pick<ClaimedCatalogue, 'company' | 'channel' | 'account'>,
): Promise<{ inbox: string } | null> {
  return maybeOne(tx, {
    name: 'templates.findReader',
    text: `select i._id as inbox from inboxes i join companies c on c._id = i.company_id and c.status = 'ACTIVE'
      where i.company_id = $1 and i.channel = $2 and i.network_account = $3 and i.status = 'ACTIVE' and i.connection_status = 'CONNECTED'
      order by i._id limit 1`,
    values: [company, channel, account],
  });
}

/** Deletes a catalogue whose account no inbox of the company names any more. */
export function deleteUnused(tx: SystemTx, { company, _id }: { company: string; _id: string }): Promise<number> {
  return exec(tx, {
    name: 'templates.deleteUnused',
    text: `delete from template_catalogues t where t.company_id = $1 and t._id = $2 and not exists (
        select from inboxes i where i.company_id = t.company_id and i.channel = t.channel and i.network_account = t.account)`,
    values: [company, _id],
  });
}

/** Makes a removal of templates wait until this page is stored, or this page until the removal is. */
export function lockCatalogue(tx: SystemTx, { company, catalogue }: Copying): Promise<number> {
  return exec(tx, {
    name: 'templates.lockCatalogue',
    text: 'select from template_catalogues where company_id = $1 and _id = $2 for no key update',
    values: [company, catalogue],
  });
}

export interface CopiedPage {
  company: string;
  catalogue: string;
  /** When the copy was begun. */
  pass_at: string;
  /** When the page was requested. Changes of a template that were stored after this time are newer than the page. */
  asked_at: string;
  templates: (NetworkTemplate & { _id: string })[];
}

/**
 * Stores a page of the network's list. A template that has changed since the page was requested is only marked as seen, and one that was
 * removed since is left out.
 */
export function upsertPage(
  tx: SystemTx,
  { company, catalogue, pass_at, asked_at, templates }: CopiedPage,
): Promise<number> {
  return exec(tx, {
    name: 'templates.upsertPage',
    text: `with page as (
        select * from unnest($5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
            $13::text[], $14::text[])
          as p (_id, name, language, category, status, quality, parameter_format, components, network_id, rejected_reason)
      ), newer as (
        update templates t set pass_at = $3 from page p
        where t.company_id = $1 and t.catalogue_id = $2 and t.name = p.name and t.language = p.language and t.noted_at >= $4
        returning t.name, t.language
      )
      insert into templates as t (company_id, _id, catalogue_id, name, language, category, status, quality, parameter_format,
        components, network_id, rejected_reason, fetched_at, pass_at)
      select $1, p._id, $2, p.name, p.language, p.category, p.status, p.quality, p.parameter_format, p.components::jsonb, p.network_id,
        p.rejected_reason, $4, $3
      from page p where not exists (select from newer n where n.name = p.name and n.language = p.language)
        and not exists (select from template_removals r
          where r.company_id = $1 and r.catalogue_id = $2 and r.name = p.name and r.removed_at >= $4)
      order by p.name, p.language
      on conflict (company_id, catalogue_id, name, language) do update set category = excluded.category, status = excluded.status,
        quality = excluded.quality, parameter_format = excluded.parameter_format, components = excluded.components,
        network_id = excluded.network_id, rejected_reason = excluded.rejected_reason, fetched_at = excluded.fetched_at,
        pass_at = excluded.pass_at, updated_at = case
          when (t.category, t.status, t.quality, t.parameter_format, t.components, t.network_id, t.rejected_reason)
            is distinct from (excluded.category, excluded.status, excluded.quality, excluded.parameter_format, excluded.components,
              excluded.network_id, excluded.rejected_reason) then now() else t.updated_at end`,
    values: [
      company,
      catalogue,
      pass_at,
      asked_at,
      templates.map((template) => template._id),
      templates.map((template) => template.name),
      templates.map((template) => template.language),
      templates.map((template) => template.category),
      templates.map((template) => template.status),
      templates.map((template) => template.quality),
      templates.map((template) => template.parameterFormat),
      templates.map((template) => JSON.stringify(template.components)),
      templates.map((template) => template.networkId),
      templates.map((template) => template.rejectedReason),
    ],
  });
}

type Copying = Pick<CopiedPage, 'company' | 'catalogue' | 'pass_at'>;

/** Stores the cursor of the next page, and returns how many templates this copy has seen so far. */
export async function savePlace(
  tx: SystemTx,
  { company, catalogue, pass_at }: Copying,
  after: string | null,
): Promise<number> {
  const { met } = await one<{ met: number }>(tx, {
    name: 'templates.savePlace',
    text: `with saved as (
        update template_catalogues set pass_after = $4 where company_id = $1 and _id = $2 and pass_at = $3 returning 1
      )
      select (select count(*)::int from templates where company_id = $1 and catalogue_id = $2 and pass_at = $3) as met,
        (select count(*) from saved) as saved`,
    values: [company, catalogue, pass_at, after],
  });
  return met;
}

/** Deletes the templates that a complete copy has not seen, because the network does not have them any more. */
export function deleteUnseen(tx: SystemTx, { company, catalogue, pass_at }: Copying): Promise<number> {
  return exec(tx, {
    name: 'templates.deleteUnseen',
    text: `with settled as (
        delete from template_removals where company_id = $1 and catalogue_id = $2 and removed_at < $3
      )
      delete from templates where company_id = $1 and catalogue_id = $2 and coalesce(pass_at < $3, true)
        and coalesce(noted_at, created_at) < $3`,
    values: [company, catalogue, pass_at],
  });
}

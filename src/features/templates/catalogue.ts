/** Finds the stored copy of an account's templates (its catalogue), and requests a newer copy. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChannelTemplates } from '../../channels/templates/network.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import type { Kit } from '../../kit.ts';
import { AppError, notFound, unknownReference } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import type { Acting, TenantRead } from '../../platform/store/tenant.ts';
import {
  ensureCatalogue,
  findCatalogue,
  findTemplateInbox,
  wantCopy,
  type Account,
  type Catalogue,
  type TemplateInbox,
} from './queries.ts';

/** An inbox whose channel has templates. */
export interface Shelf {
  inbox: TemplateInbox;
  account: Account;
  channel: NamedChannel;
  templates: ChannelTemplates;
}

/** Finds an inbox with templates. Throws TEMPLATES_NOT_SUPPORTED, which names `path`, for an inbox whose network has none. */
export async function findShelf(kit: Kit, read: TenantRead, id: string, path: string | null): Promise<Shelf> {
  const inbox = await findTemplateInbox(read, id);
  if (!inbox) throw path === null ? notFound() : unknownReference(path);
  const channel = kit.channels.get(inbox.channel);
  const { account } = inbox;
  if (!channel.templates || account === null) throw lackOfTemplates(channel, path ?? 'id');
  return { inbox, account: { channel: inbox.channel, account }, channel, templates: channel.templates };
}

function lackOfTemplates({ name, templates }: NamedChannel, path: string): AppError {
  const message = templates?.lacking ?? `is of the channel ${name}, which does not support templates`;
  const code = 'TEMPLATES_NOT_SUPPORTED';
  return new AppError(code, `${path} ${message}`, [{ path, code, message }]);
}

/**
 * Returns the catalogue of the account, and creates it when there is none, so that a worker copies the templates. It is created in a
 * transaction of its own, because it is no change by the caller and not part of the audit entry.
 */
export async function openCatalogue(kit: Kit, { companyId, read }: Acting, account: Account): Promise<Catalogue> {
  const known = await findCatalogue(read, account);
  return known ?? kit.database.tenantTx(companyId, (tx) => ensureCatalogue(tx, newId(), account));
}

// Most first copies take less than a second, and a caller who waits for one holds a request.
const FIRST_COPY_MS = 5_000;
const LOOK_MS = 100;
// The first copies that callers wait for. Those who wait for the same one share one look at the database.
const firstCopies = new Map<string, Promise<Catalogue>>();

/** Returns the catalogue of the account. While the account is copied for the first time, waits some seconds for the end of the copy. */
export async function openCopiedCatalogue(kit: Kit, acting: Acting, account: Account): Promise<Catalogue> {
  const catalogue = await openCatalogue(kit, acting, account);
  if (!isFirstCopy(catalogue)) return catalogue;
  let copied = firstCopies.get(catalogue._id);
  if (!copied) {
    copied = waitForFirstCopy(acting.read, account, catalogue).finally(() => firstCopies.delete(catalogue._id));
    firstCopies.set(catalogue._id, copied);
  }
  return copied;
}

const isFirstCopy = ({ fetched_at, is_being_copied }: Catalogue): boolean => fetched_at === null && is_being_copied;

async function waitForFirstCopy(read: TenantRead, account: Account, catalogue: Catalogue): Promise<Catalogue> {
  let latest = catalogue;
  for (const endMs = performance.now() + FIRST_COPY_MS; isFirstCopy(latest) && performance.now() < endMs;) {
    await sleep(LOOK_MS);
    latest = (await findCatalogue(read, account)) ?? latest;
  }
  return latest;
}

/** Requests a new copy, which begins at the earliest so many seconds after the last one began. */
export async function askForCopy(
  kit: Kit,
  { companyId }: Pick<Acting, 'companyId'>,
  catalogue: string,
  pauseSeconds: number,
): Promise<void> {
  try {
    await kit.database.tenantTx(companyId, (tx) => wantCopy(tx, catalogue, pauseSeconds));
  } catch (error) {
    // Failure policy: the copy of every few hours follows; the request that asked for a new one goes on.
    kit.log.warn({ err: error, catalogue }, 'templates: a new copy could not be asked for');
  }
}

/** Copies the templates of an inbox that was connected: for the first time, or again because the last copy failed. */
export async function copyForInbox(kit: Kit, company: string, inbox: string): Promise<void> {
  const { read, tenantTx } = kit.database;
  const found = await findTemplateInbox(read(company), inbox);
  const { channel, account } = found ?? { channel: null, account: null };
  if (channel === null || account === null || !kit.channels.get(channel).templates) return;
  await tenantTx(company, async (tx) => {
    const catalogue = await ensureCatalogue(tx, newId(), { channel, account });
    if (catalogue.error !== null) await wantCopy(tx, catalogue._id, 0);
  });
}

/** The templates of an inbox's account: lists the platform's copy, submits a template to the network's review, changes and removes one. */
import { NetworkRefusal } from '../../channels/channel.ts';
import type { ChannelTemplates } from '../../channels/templates/network.ts';
import { readShape } from '../../channels/templates/shape.ts';
import type { Kit } from '../../kit.ts';
import { AppError, expectFound, invalid, unknownReference } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { pageWindow, readSearch, type Page } from '../../platform/store/paging.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { networkCredentials, type Credentials } from '../inboxes/connection.ts';
import { callInTurn } from '../inboxes/network-turns.ts';
import { noteRefusal } from '../inboxes/refused.ts';
import { askForCopy, findShelf, openCatalogue, type Shelf } from './catalogue.ts';
import { isEditable, toDraft, toEdit } from './draft.ts';
import {
  deleteByName,
  findByName,
  findTemplate,
  insertSubmitted,
  listTemplates,
  type NewTemplate,
  type TemplateRow,
} from './queries.ts';
import type { Template, TemplateCreate, TemplateQuery, TemplatesRemoved, TemplateUpdate } from './schemas.ts';

// Reading a list that is older than ten minutes requests a new copy. These are the shortest pauses between two copies: while lists are
// read, and after a change that this platform made itself.
const READ_PAUSE_SECONDS = 60;
const CHANGE_PAUSE_SECONDS = 10;

type ListedTemplates = Page<Template> & { catalogue: { fetched_at: string | null; error: string | null } };

export async function pageTemplates(
  kit: Kit,
  tenant: Tenant,
  inbox: string,
  query: TemplateQuery,
): Promise<ListedTemplates> {
  const window = pageWindow(`templates:${inbox}`, query);
  const { account, templates } = await findShelf(kit, tenant.read, inbox, null);
  const catalogue = await openCatalogue(kit, tenant, account);
  const { _id, fetched_at, error, is_old } = catalogue;
  if (is_old) await askForCopy(kit, tenant, _id, READ_PAUSE_SECONDS);
  const { name = null, language = null, category = null, status = null } = query;
  const filter = { name, language, category, status, search: readSearch(query) };
  const page = await listTemplates(tenant.read, _id, filter, window);
  return { ...page, result: page.result.map((row) => present(row, templates)), catalogue: { fetched_at, error } };
}

/** Returns a template that was submitted or changed with an inbox. */
export async function readTemplate(kit: Kit, { read }: Tenant, inbox: string, id: string): Promise<Template> {
  const { templates } = await findShelf(kit, read, inbox, null);
  return present(expectFound(await findTemplate(read, id)), templates);
}

/** Submits a template to the network's review, and stores it with the status that the network gives it. */
export async function submitTemplate(
  kit: Kit,
  tenant: Tenant,
  inbox: string,
  input: TemplateCreate,
): Promise<Template> {
  const draft = toDraft(input);
  const shelf = await findShelf(kit, tenant.read, inbox, null);
  const { submit } = shelf.templates;
  if (!submit) throw keptElsewhere(shelf);
  const catalogue = await openCatalogue(kit, tenant, shelf.account);
  const accepted = await callNetwork(kit, tenant, { shelf, catalogue: catalogue._id }, (settings, signal) =>
    submit(settings, draft, signal),
  );
  return store(kit, tenant, shelf, {
    _id: newId(),
    catalogue: catalogue._id,
    name: draft.name,
    language: draft.language,
    category: accepted.category,
    status: accepted.status,
    quality: null,
    parameter_format: draft.parameterFormat,
    components: draft.components,
    network_id: accepted.networkId,
  });
}

/** Gives a template in one language new contents, at the network and then here. */
export async function editTemplate(
  kit: Kit,
  tenant: Tenant,
  { id: inbox, name }: { id: string; name: string },
  input: TemplateUpdate,
): Promise<Template> {
  const shelf = await findShelf(kit, tenant.read, inbox, null);
  const { edit } = shelf.templates;
  if (!edit) throw keptElsewhere(shelf);
  const { _id: catalogue } = await openCatalogue(kit, tenant, shelf.account);
  const languages = await findByName(tenant.read, catalogue, name);
  expectFound(languages[0]);
  const row = languages.find(({ language }) => language === input.language);
  if (!row) throw unknownReference('language');
  const { networkId, contents } = toEdit(row, input);
  await callNetwork(kit, tenant, { shelf, catalogue }, (settings, signal) =>
    edit(settings, networkId, contents, signal),
  );
  // Until the network says more, a template that it had rejected waits for the review.
  const status = row.status === 'REJECTED' ? 'PENDING' : row.status;
  return store(kit, tenant, shelf, { ...row, catalogue, status, ...contents });
}

/** Stores what the network has accepted. */
async function store(
  kit: Kit,
  tenant: Tenant,
  { templates }: Shelf,
  { _id, catalogue, ...template }: NewTemplate & { _id: string; catalogue: string },
): Promise<Template> {
  const row = await tenant.tx(async (tx) => {
    const stored = await insertSubmitted(tx, { _id, catalogue }, template);
    tx.created(stored._id);
    return stored;
  });
  // The network writes some parts by itself, such as the text of a one-time code.
  await askForCopy(kit, tenant, catalogue, CHANGE_PAUSE_SECONDS);
  return present(row, templates);
}

/** Removes a template in all its languages, at the network and then here. */
export async function removeTemplate(kit: Kit, tenant: Tenant, inbox: string, name: string): Promise<TemplatesRemoved> {
  const shelf = await findShelf(kit, tenant.read, inbox, null);
  const { templates } = shelf;
  const { remove } = templates;
  if (!remove) throw keptElsewhere(shelf);
  const { _id: catalogue } = await openCatalogue(kit, tenant, shelf.account);
  const rows = await findByName(tenant.read, catalogue, name);
  const first = expectFound(rows[0]);
  await callNetwork(kit, tenant, { shelf, catalogue }, (settings, signal) => remove(settings, name, signal));
  await tenant.tx(async (tx) => {
    await deleteByName(tx, catalogue, name);
    tx.created(first._id);
  });
  return { _id: first._id, name, removed: rows.map((row) => present(row, templates)) };
}

const keptElsewhere = ({ channel }: Shelf): AppError =>
  invalid(
    'id',
    `is of the channel ${channel.name}, where templates can only be read and sent; create, change and remove them at the network`,
    'TEMPLATES_READ_ONLY',
  );

/** Returns the template as answers show it, with what follows from its components and its status. */
function present(row: TemplateRow, { edit }: Pick<ChannelTemplates, 'edit'>): Template {
  const { slots, unsupported } = readShape({ components: row.components, parameterFormat: row.parameter_format });
  return { ...row, parameters: slots, unsupported, editable: edit !== undefined && isEditable(row) };
}

interface Called {
  shelf: Shelf;
  catalogue: string;
}

/** Calls the network with the credentials of the inbox. Throws NETWORK_REFUSED with its cause, and UNAVAILABLE when no answer came. */
async function callNetwork<T>(
  kit: Kit,
  tenant: Tenant,
  { shelf, catalogue }: Called,
  call: (settings: Credentials['settings'], signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { inbox, channel } = shelf;
  if (inbox.status !== 'ACTIVE') throw invalid('id', 'is the id of a deleted inbox', 'INBOX_INACTIVE');
  const credentials = await networkCredentials(kit, tenant.read, inbox._id);
  if (!credentials) throw invalid('id', 'is the id of an inbox without settings', 'CHANNEL_CONFIG_REQUIRED');
  try {
    return await callInTurn(tenant.companyId, (signal) => call(credentials.settings, signal));
  } catch (error) {
    // No turn came, so the network was not called.
    if (error instanceof AppError) throw error;
    if (!(error instanceof NetworkRefusal)) {
      kit.log.warn({ err: error, inbox: inbox._id }, 'templates: the network gave no answer');
      await askForCopy(kit, tenant, catalogue, 0);
      const detail = 'The network did not respond; the list of templates soon shows the result';
      throw new AppError('UNAVAILABLE', detail, [], { 'retry-after': '10' });
    }
    const { code, message } = error.error;
    if (channel.refusesCredentials?.(code))
      await kit.database.tenantTx(tenant.companyId, (tx) => noteRefusal(kit, tx, credentials, { code, message }));
    throw new AppError('NETWORK_REFUSED', error.message, [
      { path: 'network', code: String(code), message: error.message },
    ]);
  }
}

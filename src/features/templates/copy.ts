/**
 * Copies the templates of accounts from their networks: when an inbox connects, when a newer copy is requested, and every few hours.
 * Companies take turns, and a large list is copied in several turns, so that no account waits for a slow or a large one.
 */
import { NetworkRefusal } from '../../channels/channel.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import { UnreadList, type NetworkTemplate } from '../../channels/templates/network.ts';
import type { Kit } from '../../kit.ts';
import { startClaimLoop, type ClaimLoop } from '../../platform/work/claims/claim-loop.ts';
import { openLeases } from '../../platform/work/claims/leases.ts';
import { newId } from '../../platform/values/ids.ts';
import { networkCredentials, type Credentials } from '../inboxes/connection.ts';
import { noteRefusal } from '../inboxes/refused.ts';
import {
  claimCatalogues,
  COPY_QUEUE,
  deleteUnseen,
  deleteUnused,
  findReader,
  lockCatalogue,
  recordTurns,
  savePlace,
  upsertPage,
  type ClaimedCatalogue,
  type TurnOutcome,
} from './copy-queries.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// Copies are rare and short, so a process needs few slots for them; one company has one of them.
const SLOTS = 4;
const SLOTS_PER_COMPANY = 1;
// A turn requests no further page after TURN_MS, and the network has CALL_MS to answer a request. A stop waits for both together.
const TURN_MS = 3_000;
const CALL_MS = 6_000;
const STORE_MS = 1_000;
// Notifications report changes at once, so this copy only finds what they have missed.
const REFRESH_SECONDS = 6 * 3_600;
const FIRST_RETRY_SECONDS = 30;
// The most templates of an account, above the network's own limit of some thousands. The rest of a longer list is not copied.
const MAX_TEMPLATES = declareLimit(10_000, {
  topic: 'Campaigns',
  what: 'Templates per account',
  beyond: 'the others are not read',
});
// The templates of a page that one statement stores. Other work of the event loop gets its turn between two portions.
const PORTION = 500;
// No valid template is this large; a larger one would not fit into an answer with others.
const MAX_COMPONENTS_BYTES = declareLimit(64 * 1024, {
  topic: 'Campaigns',
  what: 'Template: size',
  unit: 'bytes',
  beyond: 'the template is left out',
});
const MAX_ERROR = 500;

export function startCopies(kit: Kit): ClaimLoop {
  const system = kit.database.system('upkeep');
  return startClaimLoop<ClaimedCatalogue, TurnOutcome>(
    {
      ...openLeases<ClaimedCatalogue>(system, COPY_QUEUE),
      name: 'templates',
      slots: SLOTS,
      slotsPerCompany: SLOTS_PER_COMPANY,
      claim: (capacity) => claimCatalogues(system, capacity),
      act: (catalogue) => takeTurn(kit, catalogue),
      actMs: TURN_MS + CALL_MS + STORE_MS,
      record: (outcomes) => recordTurns(system, outcomes),
    },
    kit,
  );
}

/** Copies some pages of a catalogue. Never throws. */
async function takeTurn(kit: Kit, catalogue: ClaimedCatalogue): Promise<TurnOutcome> {
  const { company, _id, pass_at } = catalogue;
  const outcome: TurnOutcome = {
    company,
    _id,
    pass_at,
    is_unfinished: false,
    is_complete: false,
    error: null,
    // Catalogues that were copied at the same moment are not copied again at the same moment.
    pause_seconds: Math.round(REFRESH_SECONDS * (0.9 + 0.2 * Math.random())),
  };
  try {
    const isLast = await copyPages(kit, catalogue);
    return { ...outcome, is_unfinished: !isLast, is_complete: isLast };
  } catch (error) {
    // Failure policy: the templates stay as they were copied last, the catalogue shows the error, and the copy is tried again.
    kit.log.warn({ err: error, catalogue: _id }, 'templates: a catalogue could not be copied');
    const pause_seconds = Math.min(REFRESH_SECONDS, FIRST_RETRY_SECONDS * 2 ** Math.min(catalogue.failures, 20));
    return { ...outcome, error: describeError(error), pause_seconds };
  }
}

const describeError = (error: unknown): string =>
  error instanceof NetworkRefusal || error instanceof UnreadList
    ? error.message.slice(0, MAX_ERROR)
    : 'The network gave no answer that could be read.';

/** Returns true when the last page is stored. */
async function copyPages(kit: Kit, catalogue: ClaimedCatalogue): Promise<boolean> {
  const channel = kit.channels.get(catalogue.channel);
  const { templates } = channel;
  const credentials = templates && (await findCredentials(kit, catalogue));
  if (!credentials) throw new UnreadList('No connected inbox can read the templates of this account.');
  const beganMs = performance.now();
  for (let after = catalogue.pass_after; ;) {
    const asked_at = new Date().toISOString();
    const page = await callNetwork(kit, { channel, catalogue, credentials }, () =>
      templates.list(credentials.settings, after, AbortSignal.timeout(CALL_MS)),
    );
    // A network that returns the same cursor again would make the copy endless.
    const next = page.next === after ? null : page.next;
    const isFull = await storePage(kit, catalogue, { asked_at, templates: page.templates, next });
    if (isFull) throw new UnreadList(`The account has more than ${MAX_TEMPLATES} templates; the others are not read.`);
    if (next === null) return true;
    if (performance.now() - beganMs > TURN_MS) return false;
    after = next;
  }
}

async function findCredentials(kit: Kit, catalogue: ClaimedCatalogue): Promise<Credentials | null> {
  const { company } = catalogue;
  const system = kit.database.system('upkeep');
  const reader = await findReader(system, catalogue);
  if (!reader) await deleteUnused(system, catalogue);
  return reader && networkCredentials(kit, kit.database.read(company), reader.inbox);
}

interface Caller {
  channel: NamedChannel;
  catalogue: Pick<ClaimedCatalogue, 'company'>;
  credentials: Credentials;
}

/** Calls the network. A refusal of the credentials themselves marks the inbox, as a refused send does. */
async function callNetwork<T>(
  kit: Kit,
  { channel, catalogue, credentials }: Caller,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof NetworkRefusal && channel.refusesCredentials?.(error.error.code)) {
      const cause = error.error;
      await kit.database.tenantTx(catalogue.company, (tx) => noteRefusal(kit, tx, credentials, cause));
    }
    throw error;
  }
}

/** Stores a page, and after the last one removes what the network does not have any more. Returns true when the list is too long. */
function storePage(
  kit: Kit,
  { company, _id: catalogue, pass_at }: ClaimedCatalogue,
  { asked_at, templates, next }: { asked_at: string; templates: NetworkTemplate[]; next: string | null },
): Promise<boolean> {
  if (templates.length > MAX_TEMPLATES) throw new UnreadList(`The list has more than ${MAX_TEMPLATES} templates.`);
  const copying = { company, catalogue, pass_at };
  return kit.database.systemTx(`company:${company}`, async (tx) => {
    await lockCatalogue(tx, copying);
    for (let at = 0; at < templates.length; at += PORTION) {
      const rows = listRows(templates.slice(at, at + PORTION));
      await upsertPage(tx, { ...copying, asked_at, templates: rows });
    }
    if (next === null) await deleteUnseen(tx, copying);
    const met = await savePlace(tx, copying, next);
    return met > MAX_TEMPLATES && next !== null;
  });
}

/** A statement stores each template once. */
const listRows = (templates: NetworkTemplate[]): (NetworkTemplate & { _id: string })[] => [
  ...new Map(
    templates.filter(isStorable).map((item) => [`${item.language} ${item.name}`, { ...item, _id: newId() }]),
  ).values(),
];

const isStorable = ({ components }: NetworkTemplate): boolean =>
  Buffer.byteLength(JSON.stringify(components)) <= MAX_COMPONENTS_BYTES;

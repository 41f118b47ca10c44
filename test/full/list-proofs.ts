/** The long proofs, each with what it does at each size. */
import { GREEDS } from './greedy/greeds.ts';
import { proveTenancy } from './matrix/run-matrix.ts';
import { proveAllTrails } from './matrix/run-trails.ts';
import { proveBulk } from './proofs/bulk.ts';
import { proveCampaigns } from './proofs/campaigns.ts';
import { proveDeliveries } from './proofs/deliveries.ts';
import { proveCrowds } from './proofs/crowds.ts';
import { proveDocuments } from './proofs/documents.ts';
import { proveFailover } from './proofs/failover.ts';
import { proveFiles } from './proofs/files.ts';
import { proveFloods } from './proofs/floods.ts';
import { proveForgeries } from './proofs/forgeries.ts';
import { proveFuzz } from './proofs/fuzz.ts';
import { listFigures, proveGreedy } from './proofs/greedy.ts';
import { proveHijack } from './proofs/hijack.ts';
import { proveHostileServers } from './proofs/hostile-servers.ts';
import { proveHostiles } from './proofs/hostiles.ts';
import { proveIdempotency } from './proofs/idempotency.ts';
import { proveIngestion } from './proofs/ingestion.ts';
import { proveLive } from './proofs/live.ts';
import { proveLimits } from './proofs/limits.ts';
import { proveNeighbours } from './proofs/neighbours.ts';
import { proveOutage } from './proofs/outage.ts';
import { provePools } from './proofs/pools.ts';
import { proveRecipes } from './proofs/recipes.ts';
import { proveReset } from './proofs/reset.ts';
import { proveSecrets } from './proofs/secrets.ts';
import { proveSends } from './proofs/sends.ts';
import { proveSheets } from './proofs/sheets.ts';
import { proveSoak } from './proofs/soak.ts';
import { proveSsrf } from './proofs/ssrf.ts';
import { proveStatuses } from './proofs/statuses.ts';
import { proveStopping } from './proofs/stopping.ts';
import { proveStorage, type StorageSize } from './proofs/storage.ts';
import { proveTurns } from './proofs/turns.ts';
import { proveWebChat } from './proofs/web-chat.ts';

export type Size = 'small' | 'ci' | 'full';
export type Proof = (seed: number) => Promise<object>;
/** A proof at the sizes that it has. */
type Proofs = Partial<Record<Size, Proof>>;

/** Gives a proof what it does at each size, and the seed of its run. */
const atSizes = <What extends object>(
  prove: (what: What) => Promise<object>,
  sizes: Partial<Record<Size, Omit<What, 'seed'>>>,
): Proofs =>
  // A type cannot say that what is given, together with the seed, is the whole.
  Object.fromEntries(
    Object.entries(sizes).map(([size, what]) => [size, (seed: number) => prove({ ...what, seed } as unknown as What)]),
  );

const SMALL_GREEDY = { companies: 3, perSecond: 2, aloneSeconds: 1, seconds: 1, scale: 0.25, judgesPace: false };

/**
 * At the larger sizes each way of being greedy is a proof of its own, because a process that one of them has slowed down would spoil the
 * next.
 */
const GREEDY_PROOFS: Record<string, Proofs> = Object.fromEntries(
  Object.keys(GREEDS).map((name) => {
    const proveOne =
      (aloneSeconds: number, seconds: number): Proof =>
      async () => {
        const size = { only: [name], companies: 25, perSecond: 0.4, aloneSeconds, seconds, scale: 1, judgesPace: true };
        const [account] = await proveGreedy(size);
        return account ? listFigures(account) : {};
      };
    return [`greedy: ${name}`, { ci: proveOne(21, 45), full: proveOne(120, 600) }];
  }),
);

/** What the Cloud API's proofs of ingestion and statuses show, for the networks of the other channels. */
const INGESTION_PROOFS: Record<string, Proofs> = Object.fromEntries(
  (['PARTNER_API', 'PROFESSIONAL_NETWORK', 'EMAIL'] as const).map((channel) => [
    `ingestion: ${channel}`,
    atSizes(proveIngestion, {
      small: { channel, processes: 2, messages: 200, kills: 2, restarts: 0 },
      ci: { channel, processes: 3, messages: 10_000, kills: 20, restarts: 3 },
      full: { channel, processes: 3, messages: 100_000, kills: 100, restarts: 10 },
    }),
  ]),
);
const STATUS_PROOFS: Record<string, Proofs> = Object.fromEntries(
  (['PARTNER_API', 'PROFESSIONAL_NETWORK'] as const).map((channel) => [
    `statuses: ${channel}`,
    atSizes(proveStatuses, {
      small: { channel, messages: 40, statuses: 400 },
      ci: { channel, messages: 10_000, statuses: 100_000 },
      full: { channel, messages: 100_000, statuses: 1_000_000 },
    }),
  ]),
);

/** Fails on a machine where no small disk can be mounted, because nothing would be proven there. */
async function requireStorage(size: StorageSize): Promise<object> {
  const account = await proveStorage(size);
  if (!account) throw new Error('no small disk can be mounted here');
  return account;
}

/**
 * The small size shows that each mechanism holds at all, with some hundred records and one to three kills, and judges no times. At ci size
 * a worker is stopped for 25 s, which is longer than its lease; at full size for a minute.
 */
const PROOFS: Record<string, Proofs> = {
  deliveries: atSizes(proveDeliveries, {
    small: { events: 400, kills: 2 },
    ci: { events: 10_000, kills: 20, restarts: 3 },
    full: { events: 100_000, kills: 100, restarts: 10 },
  }),
  'deliveries undisturbed': atSizes(proveDeliveries, {
    full: { events: 1_000_000 },
  }),
  'deliveries stopped and cut off': atSizes(proveDeliveries, {
    ci: { events: 2_000, stops: 1, freezes: 1 },
    full: { events: 40_000, stops: 20, stillMs: 60_000, freezes: 20 },
  }),
  'deliveries under jumping clocks': atSizes(proveDeliveries, {
    ci: { events: 2_000, jumps: 12 },
    full: { events: 40_000, jumps: 200 },
  }),
  ingestion: atSizes(proveIngestion, {
    small: { processes: 2, messages: 400, kills: 2, restarts: 0 },
    ci: { processes: 3, messages: 10_000, kills: 20, restarts: 3 },
    full: { processes: 3, messages: 100_000, kills: 100, restarts: 10 },
  }),
  ...INGESTION_PROOFS,
  statuses: atSizes(proveStatuses, {
    small: { messages: 100, statuses: 1_000 },
    ci: { messages: 10_000, statuses: 100_000 },
    full: { messages: 100_000, statuses: 1_000_000 },
  }),
  ...STATUS_PROOFS,
  'web chat': atSizes(proveWebChat, {
    small: { processes: 2, visitors: 12, each: 8, kills: 2, receipts: 10 },
    ci: { processes: 3, visitors: 500, each: 20, kills: 20, receipts: 200 },
    full: { processes: 3, visitors: 5_000, each: 20, kills: 100, receipts: 200 },
  }),
  sends: atSizes(proveSends, {
    small: { sends: 100, kills: 2 },
    ci: { sends: 2_000, kills: 20 },
    full: { sends: 20_000, kills: 100 },
  }),
  bulk: atSizes(proveBulk, {
    small: { contacts: 200, bad: 20, kills: 2 },
    ci: { contacts: 1_000, bad: 50, kills: 5 },
    full: { contacts: 10_000, bad: 500, kills: 20 },
  }),
  campaigns: atSizes(proveCampaigns, {
    small: { contacts: 150, failures: 10, kills: 3, restarts: 0, neighbours: 0 },
    ci: { contacts: 10_000, failures: 500, kills: 20, restarts: 3, neighbours: 20 },
    full: { contacts: 100_000, failures: 5_000, kills: 20, restarts: 3, neighbours: 20 },
  }),
  files: atSizes(proveFiles, {
    small: { disguises: 1, names: 30, atOnce: 10 },
    ci: { disguises: 18, names: 871, atOnce: 50 },
    full: { disguises: 200, names: 871, atOnce: 50 },
  }),
  sheets: atSizes(proveSheets, {
    small: { variants: 50, judgesPace: false },
    ci: { variants: 500, judgesPace: true },
    full: { variants: 10_000, judgesPace: true },
  }),
  idempotency: atSizes(proveIdempotency, {
    small: { processes: 2, keys: 20, kills: 1 },
    ci: { processes: 3, keys: 1_000, kills: 20 },
    full: { processes: 3, keys: 10_000, kills: 100 },
  }),
  stopping: atSizes(proveStopping, {
    small: { rounds: 3, judgesPace: false },
    ci: { rounds: 20, judgesPace: true },
    full: { rounds: 200, judgesPace: true },
  }),
  outage: atSizes(proveOutage, {
    small: { rounds: 1, awayMs: 5_000, judgesPace: false },
    ci: { rounds: 3, awayMs: 30_000, judgesPace: true },
    full: { rounds: 50, awayMs: 30_000, judgesPace: true },
  }),
  failover: atSizes(proveFailover, {
    small: { promotions: 2, windows: 2, deadMs: 20_000, contacts: 400, judgesPace: false },
    ci: { promotions: 20, windows: 4, deadMs: 60_000, contacts: 3_000, judgesPace: true },
  }),
  storage: atSizes(requireStorage, {
    small: { rounds: 1 },
    ci: { rounds: 1 },
    full: { rounds: 20 },
  }),
  ssrf: atSizes(proveSsrf, {
    ci: { urls: 5_000, rebinds: 1_000 },
    full: { urls: 50_000, rebinds: 10_000 },
  }),
  hostiles: atSizes(proveHostiles, {
    small: { each: 2, attemptMs: Infinity, delay99Ms: Infinity, grownMb: Infinity },
    ci: { each: 7, attemptMs: 10_500, delay99Ms: 100, grownMb: 64 },
    full: { each: 72, attemptMs: 10_500, delay99Ms: 50, grownMb: 64 },
  }),
  neighbours: atSizes(proveNeighbours, {
    small: { companies: 5, each: 60, hanging: 2_000, judgesPace: false },
    ci: { companies: 25, each: 500, hanging: 5_000, judgesPace: true },
    full: { companies: 25, each: 1_000, hanging: 50_000, judgesPace: true },
  }),
  'hostile servers': atSizes(proveHostileServers, {
    small: { perSecond: 2, seconds: 1, judgesPace: false },
    ci: { perSecond: 4, seconds: 15, judgesPace: true },
    full: { perSecond: 4, seconds: 60, judgesPace: true },
  }),
  'neighbours at the API': atSizes(proveFloods, {
    small: { companies: 4, rounds: 2, seconds: 1, judgesPace: false },
    ci: { companies: 10, rounds: 6, seconds: 5, judgesPace: true },
    full: { companies: 25, rounds: 20, seconds: 15, judgesPace: true },
  }),
  'shares of the pools': atSizes(provePools, {
    small: { companies: 6, slow: 2, callers: 8, rounds: 2 },
    ci: { companies: 25, slow: 3, callers: 8, rounds: 20 },
    full: { companies: 60, slow: 4, callers: 20, rounds: 200 },
  }),
  greedy: {
    small: async () =>
      Object.fromEntries((await proveGreedy(SMALL_GREEDY)).map((one) => [one.greed, JSON.stringify(listFigures(one))])),
  },
  ...GREEDY_PROOFS,
  forgeries: atSizes(proveForgeries, {
    small: { everything: false },
    ci: { everything: true },
    full: { everything: true },
  }),
  limits: atSizes(proveLimits, {
    small: { seconds: 2, perKey: 40, perCompany: 100, judgesPace: false },
    ci: { seconds: 10, perKey: 50, perCompany: 200, judgesPace: true },
    full: { seconds: 120, perKey: 50, perCompany: 200, judgesPace: true },
  }),
  'live streams': atSizes(proveLive, {
    small: { disconnects: 15, kills: 1, heldMs: 3_000 },
    ci: { disconnects: 200, kills: 10, heldMs: 60_000 },
    full: { disconnects: 2_000, kills: 100, heldMs: 60_000 },
  }),
  reset: atSizes(proveReset, {
    small: { processes: 2, uses: 40, tries: 40, logIns: 10, judgesMs: false },
    ci: { processes: 3, uses: 1_000, tries: 2_000, logIns: 500, judgesMs: true },
    full: { processes: 3, uses: 1_000, tries: 2_000, logIns: 2_000, judgesMs: true },
  }),
  'turns of agents': atSizes(proveTurns, {
    small: { contacts: 60, kills: 2 },
    ci: { contacts: 2_000, kills: 20 },
    full: { contacts: 20_000, kills: 100 },
  }),
  'crowds of conversations': atSizes(proveCrowds, {
    small: { conversations: 200, rounds: 1, seconds: 2, judgesPace: false },
    ci: { conversations: 600, rounds: 5, seconds: 10, judgesPace: true },
    full: { conversations: 10_000, rounds: 5, seconds: 60, judgesPace: true },
  }),
  documents: atSizes(proveDocuments, {
    small: { pages: 200, rounds: 1, judgesPace: false },
    ci: { pages: 200, rounds: 5, judgesPace: true },
    full: { pages: 200, rounds: 30, judgesPace: true },
  }),
  'hijacked agents': atSizes(proveHijack, {
    small: { contacts: 16, rounds: 2, judgesMemory: false },
    ci: { contacts: 100, rounds: 10, judgesMemory: true },
    full: { contacts: 500, rounds: 20, judgesMemory: true },
  }),
  secrets: atSizes(proveSecrets, {
    small: { rounds: 1 },
    ci: { rounds: 10 },
    full: { rounds: 100 },
  }),
  trails: atSizes(proveAllTrails, {
    small: { companies: 1, everybody: false },
    ci: { companies: 5, everybody: true },
    full: { companies: 50, everybody: true },
  }),
  recipes: atSizes(proveRecipes, {
    small: { everything: true },
    ci: { everything: true },
    full: { everything: true },
  }),
  fuzz: atSizes(proveFuzz, {
    small: { requests: 3_000 },
    ci: { requests: 100_000 },
    full: { requests: 5_000_000 },
  }),
  soak: atSizes(proveSoak, {
    ci: { minutes: 2, mostPerSecond: 500, judgesDrift: false },
    full: { minutes: 120, mostPerSecond: 500, judgesDrift: true },
  }),
  tenancy: { small: () => proveTenancy('small'), ci: () => proveTenancy('ci'), full: () => proveTenancy('full') },
};

/** The proofs of a size by their names, in the order in which they run. */
export const listProofs = (size: Size): Map<string, Proof> =>
  new Map(Object.entries(PROOFS).flatMap(([name, { [size]: proof }]) => (proof ? [[name, proof] as const] : [])));

/** The first part of a name such as `greedy: exports`, which stands for all proofs that begin with it; another name is its own. */
const firstPart = (name: string): string => name.split(': ')[0] as string;

/** What `--only` takes at one of the sizes at least. */
export const listProofNames = (): Set<string> =>
  new Set(Object.keys(PROOFS).flatMap((name) => [name, firstPart(name)]));

/** Returns the names of the proofs that a text of `--only` names, which is a name or the first part of several. */
export const findProofs = (proofs: ReadonlyMap<string, Proof>, text: string): string[] =>
  [...proofs.keys()].filter((name) => name === text || firstPart(name) === text);

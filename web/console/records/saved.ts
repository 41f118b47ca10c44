/** Saved filters of a list, in their order, and how many records each finds: the views of conversations, and the segments of contacts. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { queries } from './queries.ts';

/** What views and segments have in common. */
export interface Saved {
  _id: string;
  name: string;
  owner: string | null;
  is_shared: boolean;
  filters: object;
  position: number;
  updatedAt: string;
}

export interface SavedChange {
  name?: string;
  is_shared?: boolean;
  position?: number;
}

interface SavedSource<V extends Saved> {
  /** The name of the list among the lists of the company. */
  list: 'views' | 'segments';
  useAll(): UseQueryResult<readonly V[]>;
  update(id: string, change: SavedChange): Promise<V>;
  remove(id: string): Promise<V>;
  count(signal: AbortSignal): Promise<readonly (readonly [id: string, count: number | null])[]>;
}

export interface SavedStore<V extends Saved> extends Pick<SavedSource<V>, 'update' | 'remove'> {
  /** The user's own ones and the shared ones; undefined while they are not known. */
  useLoaded(): readonly V[] | undefined;
  use(): readonly V[];
  /** The counts by their ids; one whose records are not counted is not there. */
  useCounts(): ReadonlyMap<string, number> | undefined;
  show(saved: V): void;
  forget(id: string): void;
  reread(): void;
  /** Counts again soon: however many records change, at most once in some seconds. */
  recountSoon(): void;
  /** Returns the position of a new one, behind those that are listed with it. */
  findNextPosition(isShared: boolean): number;
  /** Gives those of a list the order in which they are here. Only the one at `moved` has another place than before. */
  move(ordered: readonly V[], moved: number): Promise<void>;
}

/** What was saved is not counted further; its count is then the least number that it has. */
export const MOST_COUNTED = 1_000;

const NONE: readonly never[] = [];
/** How far apart they are placed, so that one can be moved between two others without a change of theirs. */
const GAP = 1_000;
const LAST_POSITION = 1_000_000;
const COUNTS_PAUSE_MS = 3_000;

const compare = (a: Saved, b: Saved): number => a.position - b.position || a.name.localeCompare(b.name);
const describeCounted = (saved: Saved | undefined): string => JSON.stringify(saved?.filters);

export function createSaved<V extends Saved>({ list, useAll, update, remove, count }: SavedSource<V>): SavedStore<V> {
  const listKey = ['company', list];
  const countsKey = [`${list}-counts`];
  const readList = (): readonly V[] => queries.getQueryData<readonly V[]>(listKey) ?? NONE;
  const changeList = (change: (all: readonly V[]) => readonly V[]): void =>
    void queries.setQueryData<readonly V[]>(listKey, (all) => all && change(all));
  const useLoaded = (): readonly V[] | undefined => useAll().data?.toSorted(compare);
  const recount = (): void => void queries.invalidateQueries({ queryKey: countsKey });
  const recountSoon = createPause(recount);
  const reread = (): void => {
    void queries.invalidateQueries({ queryKey: listKey });
    recountSoon();
  };
  const show = (saved: V): void => {
    const known = readList().find(({ _id }) => _id === saved._id);
    // An answer and an event may arrive in another order than they were made.
    if (known && known.updatedAt > saved.updatedAt) return;
    if (!queries.getQueryData(listKey)) return reread();
    changeList((all) => [...all.filter(({ _id }) => _id !== saved._id), saved]);
    // A change of the name or the place leaves the counts as they are.
    if (describeCounted(known) !== describeCounted(saved)) recount();
  };
  // A move changes several positions, one after the other, so the next one waits for it.
  let lastMove: Promise<unknown> = Promise.resolve();
  return {
    update,
    remove,
    useLoaded,
    use: () => useLoaded() ?? NONE,
    useCounts: () => {
      const hasSome = (useLoaded() ?? NONE).length > 0;
      const { data } = useQuery({ queryKey: countsKey, queryFn: ({ signal }) => count(signal), enabled: hasSome });
      return data && new Map(data.filter((each): each is readonly [string, number] => each[1] !== null));
    },
    show,
    forget: (id) => changeList((all) => all.filter(({ _id }) => _id !== id)),
    reread,
    recountSoon,
    findNextPosition: (isShared) => findPositionBehind(readList().filter((each) => each.is_shared === isShared)),
    move: (ordered, moved) => {
      const positions = findPositions(ordered, moved);
      const placeOf = ({ _id, position }: Saved): number => positions.get(_id) ?? position;
      changeList((all) => all.map((each) => ({ ...each, position: placeOf(each) })));
      const changed = ordered.filter((each) => placeOf(each) !== each.position);
      const stored = lastMove.then(async () => {
        for (const each of changed) show(await update(each._id, { position: placeOf(each) }));
      });
      // The caller shows the error; the next move starts anyway.
      lastMove = stored.catch(reread);
      return stored;
    },
  };
}

/** Returns a function that does the work soon: however often it is called, at most once in some seconds. */
function createPause(work: () => void): () => void {
  let timer: number | undefined;
  return () => {
    timer ??= window.setTimeout(() => {
      timer = undefined;
      work();
    }, COUNTS_PAUSE_MS);
  };
}

function findPositionBehind(listed: readonly Saved[]): number {
  const last = Math.max(0, ...listed.map(({ position }) => position));
  // While none was moved, all are sorted by name.
  return last === 0 ? 0 : Math.min(last + GAP, LAST_POSITION);
}

/** Finds a position between the neighbours, or else new positions for all. */
function findPositions(ordered: readonly Saved[], moved: number): ReadonlyMap<string, number> {
  const [before, own, after] = [ordered[moved - 1], ordered[moved], ordered[moved + 1]];
  const low = before?.position ?? -1;
  const high = after?.position ?? low + 2 * GAP;
  const middle = low + Math.floor((high - low) / 2);
  if (own && middle > low && middle < high && middle <= LAST_POSITION) return new Map([[own._id, middle]]);
  return new Map(ordered.map(({ _id }, index) => [_id, (index + 1) * GAP]));
}

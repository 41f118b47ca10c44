/** Keeps child processes for their next piece of work, because starting one takes some tenths of a second. */
import { openChild, type Child, type ChildKind, type Supply } from './child.ts';
import { declareLimit } from '../values/limits.ts';

export interface PooledChild {
  child: Child;
  workedMs: number;
  /** The CPU time that the child had used when it took up its work. */
  beganCpuMs: number;
  /** Answers what the child requests for its work; null for an idle child. */
  supply: Supply | null;
  expiry: NodeJS.Timeout | null;
}

export interface ChildPool {
  /** Returns an idle child of this priority, or a new one, for the work that `supply` belongs to. */
  take(isLong: boolean, supply: Supply): PooledChild;
  /** Keeps a child that has done its work. */
  rest(kept: PooledChild): void;
  end(kept: PooledChild): void;
  close(): void;
}

// The idle children of either priority that are kept.
const IDLE_CHILDREN = declareLimit(2, {
  topic: 'Operation',
  what: 'Child processes kept for the next file, of each priority',
  beyond: 'the others end',
});
const IDLE_MS = 30_000;
// A child that has more memory after its work is replaced, because that of its next work would count in addition.
const IDLE_MB = 256;
// A child that has worked for this long is replaced before its next work, because the system limits its total CPU time.
const WORN_MS = 300_000;
// The CPU time that a child has before its work counts as long. Starting a child and loading its code takes some tenths of a second, and on a
// slow machine one or two; a sheet of a thousand rows or a picture takes less than that again.
const SHORT_CPU_MS = 2_000;
const LOOK_MS = 250;

/** The request that makes a child forget what it has worked on. */
const FORGET = { forget: true };

export function createPool(kind: ChildKind): ChildPool {
  const idle: PooledChild[] = [];
  const living = new Set<PooledChild>();
  const begin = (isLong: boolean): PooledChild => {
    const kept: PooledChild = { child: null as never, workedMs: 0, beganCpuMs: 0, supply: null, expiry: null };
    // An idle child that still requests data of its former work gets none.
    kept.child = openChild(kind, async (question) => kept.supply?.(question) ?? Buffer.alloc(0));
    if (isLong) kept.child.lower();
    living.add(kept);
    return kept;
  };
  const listIdle = (isLong: boolean): PooledChild[] => idle.filter(({ child }) => child.isLowered() === isLong);
  const wake = (kept: PooledChild): void => {
    if (kept.expiry) clearTimeout(kept.expiry);
    if (idle.includes(kept)) idle.splice(idle.indexOf(kept), 1);
  };
  const end = (kept: PooledChild): void => {
    wake(kept);
    living.delete(kept);
    kept.child.end();
  };
  const rest = (kept: PooledChild): void => {
    kept.supply = null;
    const isWorn = kept.workedMs >= WORN_MS || (kept.child.readMemoryMb() ?? 0) > IDLE_MB;
    if (isWorn || listIdle(kept.child.isLowered()).length >= IDLE_CHILDREN) return end(kept);
    kept.expiry = setTimeout(() => end(kept), IDLE_MS).unref();
    idle.push(kept);
    // Failure policy: a child that fails to forget its work is ended.
    kept.child.ask(FORGET, IDLE_MS).catch(() => end(kept));
  };
  const take = (isLong: boolean, supply: Supply): PooledChild => {
    // An idle child may have been killed meanwhile by the system or an operator.
    for (const dead of idle.filter(({ child }) => !child.isAlive())) end(dead);
    const kept = listIdle(isLong).at(-1) ?? begin(isLong);
    wake(kept);
    kept.supply = supply;
    // Failure policy: where the CPU time cannot be read, a piece of work counts as long by the clock, measured from its own beginning.
    void kept.child.readCpuMs().then((used) => (kept.beganCpuMs = used ?? 0));
    return kept;
  };
  const close = (): void => {
    for (const kept of living) end(kept);
  };
  return { take, rest, end, close };
}

/**
 * Resolves when the child has answered, or when its work has become long. Then the child gets a low priority, which leaves the processor to
 * all others.
 */
export function endOrLength(kept: PooledChild, answer: Promise<unknown>): Promise<void> {
  const { child } = kept;
  if (child.isLowered()) return settled(answer);
  const beganMs = performance.now();
  return new Promise((resolve) => {
    const look = async (): Promise<void> => {
      const used = await child.readCpuMs();
      const spentMs = used === null ? performance.now() - beganMs : used - kept.beganCpuMs;
      if (spentMs < SHORT_CPU_MS) return;
      child.lower();
      resolve();
    };
    const timer = setInterval(() => void look(), LOOK_MS);
    void settled(answer).then(() => {
      clearInterval(timer);
      resolve();
    });
  });
}

/** Failure policy: the failure of the work reaches its caller, who awaits the same promise. */
const settled = (work: Promise<unknown>): Promise<void> =>
  work.then(
    () => undefined,
    () => undefined,
  );

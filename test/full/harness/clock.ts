/**
 * A module that proofs load into a platform process before its own code: each SIGUSR2 moves the wall clock of the process
 * an hour ahead, back, an hour behind, and back. Timers are not affected, as when an administrator sets the clock.
 */
const HOUR_MS = 3_600_000;
const OFFSETS_MS = [HOUR_MS, 0, -HOUR_MS, 0];
const RealDate = Date;
let turns = 0;
let offsetMs = 0;

process.on('SIGUSR2', () => {
  offsetMs = OFFSETS_MS[turns % OFFSETS_MS.length] ?? 0;
  turns += 1;
});

const now = (): number => RealDate.now() + offsetMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given) => Reflect.construct(target, given.length === 0 ? [now()] : given) as Date,
  get: (target, key) => (key === 'now' ? now : (Reflect.get(target, key) as unknown)),
});

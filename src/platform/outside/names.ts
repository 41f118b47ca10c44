/**
 * Finds the addresses of names that tenants chose. A name server of a tenant may never answer, so no thread of this process waits for it: the
 * look-ups of the operating system, which serve the operator's own names, have two threads for the whole process and cannot be cancelled.
 */
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSystemNames, type NameFiles } from './system-names.ts';
import { declareLimit } from '../values/limits.ts';

export interface Names {
  /** Returns at least one address. Throws an Error with a code, such as ENOTFOUND. */
  find(host: string): Promise<string[]>;
  /** The same for sockets. */
  lookUp: LookupFunction;
}

/** How long a look-up may take. */
const LOOK_UP_MS = declareLimit(3_000, {
  topic: 'Networks',
  what: 'Name look-up',
  unit: 'ms',
  beyond: 'the call fails',
});
/** How long the addresses of one kind wait for those of the other: some servers never answer what they do not have. */
const OTHER_KIND_MS = 300;
const QUERY = { timeout: 1_000, tries: 3, maxTimeout: 1_500 };
/** How long a failure is remembered, so that a name that fails is asked for once in this time; and how many are. */
const FAILED_MS = 5_000;
const KNOWN_FAILURES = 1_000;
/** The codes by which a name server says that there is no such name, or none with such an address. */
const NONE = new Set<unknown>(['ENOTFOUND', 'ENODATA']);

/** `servers`: the name servers that are asked, and `files`: what the system says of names; by default those of the system. */
export function createNames(servers?: readonly string[], files?: NameFiles): Names {
  const readSystem = createSystemNames(files);
  const running = new Map<string, Promise<string[]>>();
  const failures = new Map<string, { error: Error; untilMs: number }>();

  const lookFor = async (name: string): Promise<string[]> => {
    const { hosts, domains } = await readSystem();
    const known = hosts.get(name);
    if (known) return known;
    const resolver = new Resolver(QUERY);
    if (servers) resolver.setServers(servers);
    const names = [name, ...(name.endsWith('.') ? [] : domains.map((domain) => `${name}.${domain}`))];
    const timer = setTimeout(() => resolver.cancel(), LOOK_UP_MS);
    try {
      return await findFirst(resolver, names);
    } finally {
      clearTimeout(timer);
      resolver.cancel();
    }
  };

  const find = async (host: string): Promise<string[]> => {
    const name = host.toLowerCase();
    if (isIP(name) !== 0) return [name];
    // Both are kept out of name servers (RFC 6761).
    if (/(^|\.)localhost\.?$/.test(name)) return ['127.0.0.1', '::1'];
    if (/(^|\.)invalid\.?$/.test(name)) throw makeError('ENOTFOUND', name);
    const failed = failures.get(name);
    if (failed && failed.untilMs > performance.now()) throw failed.error;
    const found = running.get(name) ?? lookFor(name).finally(() => running.delete(name));
    running.set(name, found);
    try {
      return await found;
    } catch (error) {
      if (failures.size >= KNOWN_FAILURES) failures.clear();
      failures.set(name, { error: error as Error, untilMs: performance.now() + FAILED_MS });
      throw error;
    }
  };

  return { find, lookUp: makeLookUp(find) };
}

const makeLookUp =
  (find: Names['find']): LookupFunction =>
  (host, { all }, done) => {
    const answer = async (): Promise<() => void> => {
      try {
        const list = (await find(host)).map((address) => ({ address, family: isIP(address) }));
        return () => (all ? done(null, list) : done(null, list[0]?.address ?? '', list[0]?.family));
      } catch (error) {
        // Failure policy: whoever opens the connection gets the error.
        return () => done(error as NodeJS.ErrnoException, []);
      }
    };
    void answer().then(setImmediate);
  };

/** Returns the addresses of the first of the names that exists. */
async function findFirst(resolver: Resolver, names: string[]): Promise<string[]> {
  for (const name of names) {
    const addresses = await findBothKinds(resolver, name);
    if (addresses.length > 0) return addresses;
  }
  throw makeError('ENOTFOUND', names[0] ?? '');
}

/** Returns no address when the name has none. Throws when a server has failed and none is known. */
async function findBothKinds(resolver: Resolver, name: string): Promise<string[]> {
  const [four, six] = [settle(name, resolver.resolve4(name)), settle(name, resolver.resolve6(name))];
  const found = await Promise.all([beforeLong(four, six), beforeLong(six, four)]);
  const addresses = found.flatMap((kind) => (kind instanceof Error ? [] : kind));
  const failure = found.find((kind) => kind instanceof Error);
  if (addresses.length === 0 && failure) throw failure;
  return addresses;
}

type Found = string[] | Error;

const settle = (name: string, asking: Promise<string[]>): Promise<Found> =>
  asking.catch((error: unknown) => {
    const { code = 'EAI_FAIL' } = error as NodeJS.ErrnoException;
    if (NONE.has(code)) return [];
    // A look-up is only cancelled when its time is over.
    return makeError(code === 'ECANCELLED' ? 'ETIMEOUT' : code, name);
  });

/** Waits for one kind of addresses, but not long once there are some of the other kind. */
const beforeLong = (kind: Promise<Found>, other: Promise<Found>): Promise<Found> =>
  Promise.race([
    kind,
    other.then(async (found) => {
      if (found instanceof Error || found.length === 0) return kind;
      await sleep(OTHER_KIND_MS);
      return [];
    }),
  ]);

const makeError = (code: string, hostname: string): Error =>
  Object.assign(new Error(`the name ${hostname} was not found: ${code}`), { code, hostname, syscall: 'getaddrinfo' });

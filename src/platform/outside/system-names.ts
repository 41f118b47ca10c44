/** What the operating system itself says of names: which it knows, and in which domains it looks for others. */
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

export interface NameFiles {
  hosts: string;
  resolv: string;
}

export interface SystemNames {
  /** The addresses of the names that the system knows, in lower case. */
  hosts: ReadonlyMap<string, string[]>;
  /** The domains in which a name is looked for that does not exist as it is. */
  domains: readonly string[];
}

const FILES: NameFiles = { hosts: '/etc/hosts', resolv: '/etc/resolv.conf' };
/** How long what was read is used, because operators change these files. */
const FRESH_MS = 5_000;
/** The C library uses as many. */
const MOST_DOMAINS = 6;

/** Returns a function that reads the files again when they were read long ago. */
export function createSystemNames(files: NameFiles = FILES): () => Promise<SystemNames> {
  let known: { names: Promise<SystemNames>; untilMs: number } | null = null;
  return () => {
    if (!known || known.untilMs <= performance.now())
      known = { names: readNames(files), untilMs: performance.now() + FRESH_MS };
    return known.names;
  };
}

async function readNames({ hosts, resolv }: NameFiles): Promise<SystemNames> {
  // Failure policy: a system without such a file knows no names, and no domains.
  const [known, settings] = await Promise.all(
    [hosts, resolv].map(async (path) => readLines(await readFile(path, 'utf8').catch(() => ''))),
  );
  const names = new Map<string, string[]>();
  for (const [address = '', ...aliases] of known ?? [])
    if (isIP(address) !== 0)
      for (const alias of aliases) names.set(alias.toLowerCase(), [...(names.get(alias.toLowerCase()) ?? []), address]);
  const search = settings?.findLast(([key]) => key === 'search' || key === 'domain') ?? [];
  return { hosts: names, domains: search.slice(1, 1 + MOST_DOMAINS).filter((domain) => domain !== '.') };
}

/** Returns the words of each line without its comment. */
const readLines = (text: string): string[][] =>
  text.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/),
  );

/** The kinds of settings: each checks the text of the environment and converts it, or throws what the text must be. */
import { isIP } from 'node:net';
import { splitHosts } from './host-list.ts';

export interface Setting<T> {
  /** The value when the environment does not contain the setting. */
  fallback: T;
  parse: (text: string) => T;
}

/** Settings by their names in the environment. */
export type SettingTable = Readonly<Record<string, Setting<unknown>>>;
export type SettingValues<Table extends SettingTable> = { readonly [Name in keyof Table]: Table[Name]['fallback'] };

/** The texts of the environment. An empty one counts as absent. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Reads the settings of a table and nothing else. Throws one sentence that names the wrong setting. */
export function readSettings<Table extends SettingTable>(table: Table, variables: Variables): SettingValues<Table> {
  const given = new Map(Object.entries(variables));
  const values = Object.entries(table).map(([name, setting]) => {
    const value = given.get(name)?.trim();
    if (!value) return [name, setting.fallback];
    try {
      return [name, setting.parse(value)];
    } catch (error) {
      throw new Error(`${name} ${(error as Error).message}`, { cause: error });
    }
  });
  return Object.fromEntries(values) as SettingValues<Table>;
}

/** Throws one sentence when some of these settings are given and others are not. `purpose` says what happens only with all of them. */
export function expectAllOrNone(values: Readonly<Record<string, unknown>>, purpose: string): void {
  const names = Object.keys(values);
  const missing = Object.entries(values).flatMap(([name, value]) => (value === null ? [name] : []));
  if (missing.length > 0 && missing.length < names.length)
    throw new Error(`${missing.join(', ')} must be set: ${purpose} only with all of ${names.join(', ')}`);
}

/** Any text. */
export const text = (fallback: string): Setting<string> => ({ fallback, parse: (value) => value });
/** Any text; null when the setting is absent. */
export const optional: Setting<string | null> = { fallback: null, parse: (value) => value };

/** A URL of one of these protocols, without slashes at its end. */
export function url(...protocols: string[]): Setting<string | null> {
  return {
    fallback: null,
    parse: (value) => {
      if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
        throw new Error(`must be a URL that starts with ${protocols.map((name) => `${name}//`).join(' or ')}`);
      }
      return value.replace(/\/+$/, '');
    },
  };
}

/** A URL of one of these protocols that may name several hosts, separated by commas. */
export function urlOfHosts(...protocols: string[]): Setting<string | null> {
  const single = url(...protocols);
  return {
    fallback: null,
    parse: (value) => {
      for (const each of splitHosts(value)) single.parse(each);
      return value.replace(/\/+$/, '');
    },
  };
}

/** A whole number within these bounds. */
export function integer(fallback: number, minimum: number, maximum: number): Setting<number> {
  return {
    fallback,
    parse: (value) => {
      const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
      if (!(number >= minimum && number <= maximum))
        throw new Error(`must be a whole number, ${minimum} to ${maximum}`);
      return number;
    },
  };
}

/** One of a few words. */
export function choice<const T extends readonly string[]>(values: T, fallback: T[number]): Setting<T[number]> {
  return {
    fallback,
    parse: (value) => {
      if (!values.includes(value)) throw new Error(`must be one of ${values.join(', ')}`);
      return value;
    },
  };
}

const UNIT_MS = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** A setting such as 90s, 15m, 24h or 7d, converted to milliseconds; `most` is written in the same way. */
export function duration(fallback: string, most?: string): Setting<number> {
  const parse = (value: string): number => {
    const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(value) ?? [];
    if (!amount || !unit || Number(amount) === 0) throw new Error('must be a duration such as 90s, 15m, 24h or 7d');
    return Number(amount) * (UNIT_MS.get(unit) ?? 0);
  };
  const mostMs = most === undefined ? Infinity : parse(most);
  const parseWithin = (value: string): number => {
    const ms = parse(value);
    if (ms > mostMs) throw new Error(`must be at most ${most}`);
    return ms;
  };
  return { fallback: parse(fallback), parse: parseWithin };
}

const UNIT_BYTES = new Map([
  ['MB', 2 ** 20],
  ['GB', 2 ** 30],
]);

/** Parses a size such as 512MB or 2GB. */
function parseBytes(value: string): number {
  const [, amount, unit] = /^(\d{1,6})(MB|GB)$/.exec(value) ?? [];
  if (!amount || !unit || Number(amount) === 0) throw new Error('must be a size such as 512MB or 2GB');
  return Number(amount) * (UNIT_BYTES.get(unit) ?? 0);
}

/** A size such as 512MB or 2GB, converted to bytes. */
export const size = (fallback: string): Setting<number> => ({ fallback: parseBytes(fallback), parse: parseBytes });
/** As `size`; null when the setting is absent. */
export const optionalSize: Setting<number | null> = { fallback: null, parse: parseBytes };

/** Texts that are separated by commas. */
export const list: Setting<string[]> = {
  fallback: [],
  parse: (value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
};

/** An address or a name to listen on. */
export const listenHost: Setting<string> = {
  fallback: '127.0.0.1',
  parse: (value) => {
    // A name that ends in digits is a mistyped IPv4 address; looking it up would take the name servers seconds.
    const isName = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i.test(value) && !/(^|\.)\d+$/.test(value);
    if (isIP(value) === 0 && !isName)
      throw new Error('must be an IP address such as 127.0.0.1, 0.0.0.0 or ::1, or the name of one, without a port');
    return value;
  },
};

/** A secret that is long enough to resist guessing. */
export const secretKey: Setting<string | null> = {
  fallback: null,
  parse: (value) => {
    // 32 characters: long enough to resist guessing, short enough to ask a person for.
    if (value.length < 32) throw new Error('must have at least 32 characters');
    return value;
  },
};

/** The name of a bucket as S3 allows it. */
export const bucket: Setting<string | null> = {
  fallback: null,
  parse: (value) => {
    if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value)) throw new Error('must be the name of a bucket');
    return value;
  },
};

/** The limits that users, integrators and operators can run into. Each is declared at its constant, and docs/limits.md is made from them. */

/** The sections of the page, in its order. */
export const LIMIT_TOPICS = [
  'Requests',
  'Accounts',
  'Records',
  'Contacts',
  'Messages',
  'Files',
  'Campaigns',
  'E-mail',
  'Web chat',
  'MCP',
  'Evolution',
  'Agents',
  'Knowledge',
  'Webhooks',
  'Live',
  'Networks',
  'Operation',
] as const;

export type LimitUnit =
  | 'count'
  | 'characters'
  | 'percent'
  | 'bytes'
  | 'megabytes'
  | 'ms'
  | 'seconds'
  | 'minutes'
  | 'hours'
  | 'days'
  | 'perSecond'
  | 'perMinute'
  | 'perDay'
  | 'bytesPerSecond'
  | 'megabytesPerSecond';

interface LimitWords {
  topic: (typeof LIMIT_TOPICS)[number];
  /** What is limited, in the words of a user. */
  what: string;
  /** What happens beyond the limit, for example a status. */
  beyond: string;
  /** `count` by default; `percent` for a share from 0 to 1. */
  unit?: LimitUnit;
}

export interface DeclaredLimit extends LimitWords {
  /** Null when the limit is the value of the setting. */
  value: number | null;
  /** The setting that changes the limit. */
  setting?: string;
}

const declared: DeclaredLimit[] = [];

/** The limits of all modules that are loaded. */
export const DECLARED_LIMITS: readonly DeclaredLimit[] = declared;

/** Declares a limit and returns it. */
export function declareLimit(value: number, words: LimitWords & { setting?: string }): number {
  declared.push({ ...words, value });
  return value;
}

/** Declares that a setting is a limit; its default is where the setting is declared. */
export function declareSettingLimit(setting: string, words: LimitWords): void {
  declared.push({ ...words, value: null, setting });
}

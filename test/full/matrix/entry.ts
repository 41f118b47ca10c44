/** The facts that the matrix needs about an operation; operations.ts and record-operations.ts contain them for each one. */
import { cursorAfter, pageWindow, type PageQuery } from '../../../src/platform/paging.ts';
import type { Scope } from '../../../src/platform/scopes.ts';
import type { Json, Platform } from '../../support/platform.ts';
import type { Kind, Side } from './companies.ts';

/** How an id is written where it is part of a longer text, and the status for an unknown id. */
export interface Reference {
  kind: Kind;
  write?(id: string, own: Side): string;
  answer?: number;
  /** Records of every kind can be named here, so the company's own records of other kinds are found, too. */
  anyKind?: true;
  /** Any text is allowed here; one that matches nothing is answered like an unknown id. */
  freeText?: true;
  /** The answer repeats the given text, as in `custom_fields.<key> points to nothing`. */
  echoed?: true;
  /** A custom field can also be named by its slug. */
  bySlug?: true;
  /** The error hides the reason, as all refusals at log-in do. */
  unsaid?: true;
  /** The name of the place in an error, where it is not its path: `filters[].field`. */
  at?: string;
}

export interface Entry {
  /** The required scope; null when any valid token is enough, or none is needed. */
  scope: Scope | null;
  /** Further scopes that a key needs, because a caller can only give or change rights that it has. */
  also?: readonly string[];
  /** `installation`: a global key may name no company. `public`: no token is needed. Otherwise the request acts for a company. */
  door?: 'installation' | 'public';
  /** The answer to a global key without a company, where it differs from the rule of the door; for `apart` see globals.ts. */
  homeless?: 'served' | 'apart' | 'NOT_FOUND' | 'NO_COMPANY';
  /** Only global keys may use the operation; every other caller is refused, whatever its scopes. */
  globalOnly?: true;
  /** A global key may see every company with this operation. */
  reachesAll?: true;
  /** A success deletes the record of the path or body, so the record is created for each request. */
  disposes?: true;
  /** The action in the audit, where it does not follow from the scope; null when nothing is written. */
  action?: string | null;
  /** The parameters of the path, and the kind of record that each one names. */
  path?: Record<string, Kind>;
  /** Other kinds of records that the path can name. */
  alike?: readonly Kind[];
  /** The places of the body and the query that name records. */
  references?: Record<string, Kind | Reference>;
  /** A body that succeeds; for a form its parts, with the text of the file. */
  body?(own: Side): Json;
  /** Another body, where the first has no name, title, url or content to change; for an Idempotency-Key that is used twice. */
  otherBody?(own: Side): Json;
  /** Prepares the data so that the next request succeeds, whatever the last one did. */
  prepare?(platform: Platform, own: Side): Promise<void>;
}

// A time after all records of a test: a list from there shows the same as without a cursor, or nothing.
const CURSOR_TIME = new Date(Date.UTC(2100, 0)).toISOString();

export const cursor = (
  kind: Kind,
  list: string | ((own: Side) => string),
  sort: PageQuery['sort'] = '-createdAt',
): Reference => ({
  kind,
  write: (_id, own) => {
    const window = pageWindow(typeof list === 'string' ? list : list(own), { limit: 20, skipCount: false, sort });
    return cursorAfter(window, { _id, createdAt: CURSOR_TIME });
  },
  answer: 200,
});

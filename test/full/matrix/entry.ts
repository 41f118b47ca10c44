/** What the matrix is told of one operation; the operations themselves stand in operations.ts and record-operations.ts. */
import { cursorAfter, pageWindow, type PageQuery } from '../../../src/platform/paging.ts';
import type { Scope } from '../../../src/platform/scopes.ts';
import type { Json, Platform } from '../../support/platform.ts';
import type { Kind, Side } from './companies.ts';

/** How an id is written where more than the bare id stands, and what an id that is nobody's is answered with. */
export interface Reference {
  kind: Kind;
  write?(id: string, own: Side): string;
  answer?: number;
  /** Records of every kind are named here, so that one's own of another kind are found, too. */
  anyKind?: true;
  /** Any word may stand here; one that names nothing is answered like an unknown id. */
  freeText?: true;
  /** The answer repeats what was asked for: `custom_fields.<key> points to nothing`. */
  echoed?: true;
  /** A custom field is named by its slug, too. */
  bySlug?: true;
  /** What is wrong is not said, as with everything else that keeps somebody out. */
  unsaid?: true;
  /** What an error calls the place, where that is not its path: `filters[].field`. */
  at?: string;
}

export interface Entry {
  /** Null: any living token will do, or none is needed. */
  scope: Scope | null;
  /** What a key needs besides, because nobody gives, or touches, more than he has. */
  also?: readonly string[];
  /** `installation`: a global key may leave its company out. `public`: no token is asked for. Else it acts for a company. */
  door?: 'installation' | 'public';
  /** What a global key without a company is told, where that is not the rule of the door; `apart`: see globals.ts. */
  homeless?: 'served' | 'apart' | 'NOT_FOUND' | 'NO_COMPANY';
  /** For global keys alone: everybody else is refused, whatever the scope. */
  globalOnly?: true;
  /** A global key reaches every company here, by right. */
  reachesAll?: true;
  /** Success takes the record away, or what the body names of it: it is made for the request. */
  disposes?: true;
  /** What the audit calls a success, where the scope does not say it; null where it says nothing. */
  action?: string | null;
  /** The parts of the path, and what each is the id of. */
  path?: Record<string, Kind>;
  /** Kinds that are named by the path as well as the one that stands there. */
  alike?: readonly Kind[];
  /** Where the body and the query name records. */
  references?: Record<string, Kind | Reference>;
  /** A body that succeeds; of a form its parts, the file by its text. */
  body?(own: Side): Json;
  /** Another one, where no name, title, url or content of the first can be changed: for an Idempotency-Key used twice. */
  otherBody?(own: Side): Json;
  /** Makes the next request succeed, whatever the last one did. */
  prepare?(platform: Platform, own: Side): Promise<void>;
}

// A time that no record of a test has: a list that begins there shows what it shows without a cursor, or nothing.
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

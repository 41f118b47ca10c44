/** Removes files that no record names: of uploads whose process died, or whose removal did not reach the store, and what was pushed a day ago. */
import type { Kit } from '../../kit.ts';
import { getOwnProperty } from '../../platform/values/own-property.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { findKnownKeys } from './queries.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// No upload takes longer. An operator who restores a database from a backup has a day to restore its files, too.
const AGE_MS = declareLimit(86_400_000, {
  topic: 'Files',
  what: 'File that no record uses',
  unit: 'ms',
  beyond: 'deleted',
});

/** Finds those of a company's keys that records name, for each kind of file. Files of another kind are left alone. */
const KINDS: Record<string, (tx: TenantRead, keys: readonly string[]) => Promise<string[]>> = {
  attachments: findKnownKeys,
  // What networks have pushed. The files of its messages are taken out within minutes.
  pushed: () => Promise.resolve([]),
};

export async function sweepFiles(kit: Kit): Promise<void> {
  const removed = await kit.files.sweep(new Date(Date.now() - AGE_MS), async (company, keys) => {
    const byKind = Map.groupBy(keys, (key) => key.split('/')[1] ?? '');
    const known = await Promise.all(
      [...byKind].map(async ([kind, some]) => getOwnProperty(KINDS, kind)?.(kit.database.read(company), some) ?? some),
    );
    return new Set(known.flat());
  });
  if (removed > 0) kit.log.info({ removed }, 'attachments: files that no record names were removed');
}

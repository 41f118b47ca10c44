/** Changes of many contacts. */
import type { Contact, ContactChange, ContactRun } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { parley } from '../client.ts';
import type { ContactChoice } from './contacts.ts';
import { createRuns } from './runs.ts';

export const CONTACT_RUNS = createRuns<ContactRun>({
  event: 'contact_run',
  get: (id, signal) => parley.contacts.getBulkRun(id, { signal }),
  cancel: (id) => parley.contacts.cancelBulkRun(id),
});

/** The contacts of a change: these, or all that the list shows. */
export type ChosenContacts = { contacts: readonly Contact[] } | { filter: ContactChoice };

export async function startContactRun(chosen: ChosenContacts, change: ContactChange): Promise<void> {
  const selection = 'filter' in chosen ? chosen : { ids: chosen.contacts.map(({ _id }) => _id) };
  CONTACT_RUNS.begin(await parley.contacts.changeMany({ ...selection, change }));
}

/** Counts the contacts that the list shows; null while that is not known. */
export function useContactTotal(choice: ContactChoice): number | null {
  const { data, isError } = useQuery({
    queryKey: ['contact-total', choice],
    queryFn: ({ signal }) => parley.contacts.list({ ...choice, limit: 1 }, { signal }),
    refetchOnMount: 'always',
  });
  return isError ? null : (data?.meta.totalCount ?? null);
}

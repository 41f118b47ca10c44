/** How the user logs in: with a second factor or not, and with a password or by single sign-on alone. */
import type { SecondFactor } from '@parley/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../../client.ts';
import { queries } from '../../records/queries.ts';
import { readSession } from '../session.ts';

const STATE_KEY = ['second-factor', 'state'] as const;

export const useSecondFactor = (): UseQueryResult<SecondFactor> =>
  useQuery({ queryKey: STATE_KEY, queryFn: ({ signal }) => parley.auth.getSecondFactor({ signal }) });

/** Reads the state of the second factor again, and the session, which also shows whether the user has a second factor. */
export const rereadSecondFactor = (): Promise<unknown> =>
  Promise.all([queries.invalidateQueries({ queryKey: STATE_KEY }), readSession()]);

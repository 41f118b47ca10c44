/** Whether teams assign conversations to the user who works here. */
import type { User } from '@parley/sdk';
import { parley } from '../client.ts';
import { showOwnRecord } from '../session/session.ts';
import { showError } from '../ui/toast.tsx';

type Availability = User['availability'];
export const AVAILABILITIES = ['ONLINE', 'AWAY'] as const satisfies readonly Availability[];

export const chooseAvailability = (availability: Availability): void =>
  void parley.auth.updateMe({ availability }).then(showOwnRecord, showError);

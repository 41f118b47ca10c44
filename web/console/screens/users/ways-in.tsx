/** What an administrator can do about the ways in which another user logs in. */
import type { User } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useSession } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { explainField } from '../../ui/problem.ts';
import { showNotice } from '../../ui/toast.tsx';
import { USERS } from './texts.ts';
import styles from './users.module.css';
import { showUser } from './user-list.ts';

interface WaysInProps {
  user: User;
  onChanged(changed: null): void;
}

/** Users change how they log in themselves in their profile. */
export function WaysIn({ user, onChanged }: WaysInProps): ReactElement | null {
  const { user: self } = useSession();
  if (user._id === self._id) return null;
  return (
    <>
      {user.second_factor && <ResetFactor user={user} onChanged={onChanged} />}
      {user.single_sign_on && <Unlink user={user} onChanged={onChanged} />}
    </>
  );
}

/** Resets two-factor log-in of a person who has lost the phone and the recovery codes. */
function ResetFactor({ user, onChanged }: WaysInProps): ReactElement {
  const texts = useTexts(USERS);
  const reset = useMutation({
    mutationFn: () => parley.users.resetSecondFactor(user._id),
    onSuccess: (changed) => {
      showUser(changed);
      showNotice(texts.isReset(user.name));
      onChanged(null);
    },
  });
  return (
    <div className={styles['reset']}>
      <FormProblem error={explainField(reset.error, 'id') === null ? reset.error : texts.onlyOperator} fields={[]} />
      <ConfirmButton
        label={texts.resetFactor}
        question={texts.reallyReset}
        meaning={texts.resetMeaning}
        icon="key"
        isBusy={reset.isPending}
        onConfirm={() => reset.mutate()}
      />
    </div>
  );
}

/** Unlinks a user from the account at the provider, such as one that was replaced. */
function Unlink({ user, onChanged }: WaysInProps): ReactElement {
  const texts = useTexts(USERS);
  const unlink = useMutation({
    mutationFn: () => parley.users.unlinkSingleSignOn(user._id),
    onSuccess: (changed) => {
      showUser(changed);
      showNotice(texts.isUnlinked(user.name));
      onChanged(null);
    },
  });
  return (
    <div className={styles['reset']}>
      <FormProblem error={unlink.error} fields={[]} />
      <ConfirmButton
        label={texts.unlink}
        question={texts.reallyUnlink}
        meaning={texts.unlinkMeaning}
        icon="key"
        isBusy={unlink.isPending}
        onConfirm={() => unlink.mutate()}
      />
    </div>
  );
}

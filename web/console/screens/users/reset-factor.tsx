/** Resets two-factor log-in of a person who has lost the phone and the recovery codes. */
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

/** People turn off their own in their profile, with the password and a code. */
export function ResetFactor({ user, onReset }: { user: User; onReset(changed: null): void }): ReactElement | null {
  const texts = useTexts(USERS);
  const { user: self } = useSession();
  const reset = useMutation({
    mutationFn: () => parley.users.resetSecondFactor(user._id),
    onSuccess: (changed) => {
      showUser(changed);
      showNotice(texts.isReset(user.name));
      onReset(null);
    },
  });
  if (user._id === self._id) return null;
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

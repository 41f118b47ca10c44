/** The link between the user and an account at the company's provider, which the user can remove. */
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useSecondFactor } from '../../session/second-factor/state.ts';
import { readSession, useSession } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { Card } from '../../ui/page.tsx';
import { Failure, Loading } from '../../ui/state.tsx';
import styles from './profile.module.css';
import { SINGLE_SIGN_ON_LINK } from './single-sign-on-texts.ts';

/** Nothing is shown to users without a link, except to those who have just removed theirs. */
export function SingleSignOnCard(): ReactElement | null {
  const texts = useTexts(SINGLE_SIGN_ON_LINK);
  const { user } = useSession();
  const [isUnlinked, setUnlinked] = useState(false);
  if (!user.single_sign_on && !isUnlinked) return null;
  return <Card title={texts.title}>{isUnlinked ? <Unlinked /> : <Linked onUnlinked={() => setUnlinked(true)} />}</Card>;
}

function Linked({ onUnlinked }: { onUnlinked(): void }): ReactElement {
  const texts = useTexts(SINGLE_SIGN_ON_LINK);
  const { data, error, refetch } = useSecondFactor();
  const unlink = useMutation({
    mutationFn: () => parley.auth.unlinkSingleSignOn(),
    onSuccess: async () => {
      onUnlinked();
      // A session that the provider has opened has ended: the log-in is shown.
      await readSession();
    },
  });
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />;
  return (
    <>
      <p>{texts.isLinked}</p>
      {data.has_password ? (
        <div className={styles['act']}>
          <FormProblem error={unlink.error} fields={[]} />
          <ConfirmButton
            label={texts.unlink}
            question={texts.reallyUnlink}
            meaning={texts.meaning}
            isBusy={unlink.isPending}
            onConfirm={() => unlink.mutate()}
          />
        </div>
      ) : (
        <p>{texts.passwordFirst}</p>
      )}
    </>
  );
}

/** It takes the focus, because the button that had it is gone. */
function Unlinked(): ReactElement {
  const texts = useTexts(SINGLE_SIGN_ON_LINK);
  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => text.current?.focus(), []);
  return (
    <p ref={text} tabIndex={-1} role="status">
      {texts.isUnlinked}
    </p>
  );
}

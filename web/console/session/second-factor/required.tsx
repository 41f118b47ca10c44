/** What users see, and nothing else, whose company requires a second factor that they do not have yet. */
import { useState, type ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Failure, Loading } from '../../ui/state.tsx';
import { useTitle } from '../../ui/title.ts';
import { showError } from '../../ui/toast.tsx';
import { CardPage } from '../card-page.tsx';
import { canUsePasskeys } from '../other-ways.ts';
import { AddPasskey } from '../passkeys/dialogs.tsx';
import { PasswordFirst } from '../password-link.tsx';
import { logOut, readSession } from '../session.ts';
import styles from './second-factor.module.css';
import { SetUp } from './set-up.tsx';
import { useSecondFactor } from './state.ts';
import { SECOND_FACTOR } from './texts.ts';

export function RequiredSetUp(): ReactElement {
  const texts = useTexts(SECOND_FACTOR);
  const { data, error, refetch } = useSecondFactor();
  useTitle(texts.requiredTitle);
  return (
    <CardPage isWide>
      <h1>{texts.requiredTitle}</h1>
      <p>{texts.requiredLead}</p>
      {!data && (error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />)}
      {data && !data.has_password && <PasswordFirst />}
      {data?.has_password && (
        <SetUp onDone={() => void readSession()} otherWay={canUsePasskeys() ? <PasskeyInstead /> : null} />
      )}
      <Button kind="quiet" onClick={() => void logOut().catch(showError)}>
        {texts.logOut}
      </Button>
    </CardPage>
  );
}

/** A passkey meets the rule as well, without an app. */
function PasskeyInstead(): ReactElement {
  const texts = useTexts(SECOND_FACTOR);
  const [isOpen, open] = useState(false);
  return (
    <div className={styles['actions']}>
      <Button icon="key" onClick={() => open(true)}>
        {texts.passkeyInstead}
      </Button>
      {isOpen && <AddPasskey onDone={readSession} onClose={() => open(false)} />}
    </div>
  );
}

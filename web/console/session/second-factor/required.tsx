/** What users see, and nothing else, whose company requires a second factor that they do not have yet. */
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { useTitle } from '../../ui/title.ts';
import { showError } from '../../ui/toast.tsx';
import { CardPage } from '../card-page.tsx';
import { logOut, readSession } from '../session.ts';
import { SetUp } from './set-up.tsx';
import { SECOND_FACTOR } from './texts.ts';

export function RequiredSetUp(): ReactElement {
  const texts = useTexts(SECOND_FACTOR);
  useTitle(texts.requiredTitle);
  return (
    <CardPage isWide>
      <h1>{texts.requiredTitle}</h1>
      <p>{texts.requiredLead}</p>
      <SetUp onDone={() => void readSession()} />
      <Button kind="quiet" onClick={() => void logOut().catch(showError)}>
        {texts.logOut}
      </Button>
    </CardPage>
  );
}

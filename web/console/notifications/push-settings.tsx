/** Push to this browser, and the browsers that the user has registered, so that a lost device can be removed. */
import type { PushSubscription } from '@parley/sdk';
import type { ReactElement } from 'react';
import { parley } from '../client.ts';
import { changeFeeds, removeFromFeed, useFeed } from '../records/feeds.ts';
import { useSession } from '../session/session.ts';
import { formatMoment } from '../texts/formats.ts';
import { useTexts } from '../texts/texts.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Failure } from '../ui/state.tsx';
import { showError, showNotice } from '../ui/toast.tsx';
import { BROWSERS, findOwnBrowser, turnPushOff, turnPushOn, usePushState } from './push.ts';
import styles from './settings.module.css';
import { NOTIFICATIONS } from './texts.ts';

const PAGE = 30;

export function PushSettings(): ReactElement | null {
  const texts = useTexts(NOTIFICATIONS);
  const { user } = useSession();
  const state = usePushState();
  return (
    <section className={styles['push']} aria-label={texts.pushes}>
      {state !== 'BLOCKED' && <h3>{texts.pushThis}</h3>}
      {state === 'MISSING' && <p>{texts.pushMissing}</p>}
      {state === 'OFF' && (
        <div className={styles['row']}>
          <p>{texts.pushLead}</p>
          <Button icon="bell" onClick={() => void turnPushOn(user).catch(showError)}>
            {texts.pushOn}
          </Button>
        </div>
      )}
      {state === 'ON' && (
        <div className={styles['row']}>
          <p>{texts.pushIsOn}</p>
          <Button onClick={() => void turnPushOff().catch(showError)}>{texts.pushOff}</Button>
        </div>
      )}
      <Browsers />
    </section>
  );
}

function Browsers(): ReactElement | null {
  const texts = useTexts(NOTIFICATIONS);
  const own = findOwnBrowser();
  const feed = useFeed<PushSubscription>(
    BROWSERS,
    (after, signal) => parley.pushSubscriptions.list({ limit: PAGE, skipCount: true, after }, { signal }),
    { isLive: false },
  );
  const remove = async ({ _id }: PushSubscription): Promise<void> => {
    if (_id === own) return turnPushOff();
    await parley.pushSubscriptions.delete(_id);
    changeFeeds<PushSubscription>(BROWSERS, (shown) => removeFromFeed(shown, _id));
    showNotice(texts.removed);
  };
  if (feed.error) return <Failure error={feed.error} onRetry={feed.reread} />;
  if (feed.items.length === 0) return null;
  return (
    <>
      <h3>{texts.browsers}</h3>
      <ul className={styles['browsers']}>
        {feed.items.map((each) => (
          <li key={each._id}>
            <span>
              {each.browser}
              {each._id === own && <em>{texts.thisBrowser}</em>}
              <small>{each.last_used_at ? texts.lastPush(formatMoment(each.last_used_at)) : texts.neverPushed}</small>
            </span>
            <IconButton
              icon="remove"
              label={texts.removeBrowser(each.browser)}
              onClick={() => void remove(each).catch(showError)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

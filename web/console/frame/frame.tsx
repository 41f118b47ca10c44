/** What surrounds every screen: the navigation, the account, and the notice that the page hears of no changes. */
import {
  Component,
  Suspense,
  useEffect,
  useRef,
  useState,
  type ReactElement,
  type ReactNode,
  type RefObject,
} from 'react';
import { Link, Redirect, Route, Switch, useRoute } from 'wouter';
import { Commands } from '../commands/commands.tsx';
import { queries } from '../records/queries.ts';
import { applyLiveEvent, rereadAll } from '../live/apply.ts';
import { followLive } from '../live/connection.ts';
import { useIsOnline } from '../live/network.ts';
import { useLiveStatus } from '../live/status.ts';
import { useUnreadInTitle } from '../notices/notices.ts';
import { followActivity } from '../notifications/activity.ts';
import { followClicks, resumePush } from '../notifications/push.ts';
import { useSession } from '../session/session.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { lazyPart, LoadingDialog, LoadingPart } from '../ui/lazy-part.tsx';
import { Empty } from '../ui/state.tsx';
import { endComposing, useComposing } from './composing.ts';
import styles from './frame.module.css';
import { ScreenKeys } from './screen-keys.tsx';
import { Navigation } from './navigation.tsx';
import { SCREENS } from './screens.ts';
import { returnToComposer } from './writing.ts';
import { FRAME } from './texts.ts';

const ComposeDialog = lazyPart(async () => (await import('../screens/inbox/compose/compose-dialog.tsx')).ComposeDialog);

export function Frame(): ReactElement {
  const session = useSession();
  const content = useRef<HTMLDivElement>(null);
  useUnreadInTitle();
  const key = `${session.company}:${session.user._id}`;
  useEffect(() => {
    const end = new AbortController();
    followLive(session, applyLiveEvent, end.signal);
    void resumePush(session.user);
    followClicks(end.signal);
    followActivity(end.signal);
    // A browser that has frozen the page may have dropped what other tabs have passed on.
    document.addEventListener('resume', rereadAll, { signal: end.signal });
    window.addEventListener('pageshow', ({ persisted }) => persisted && rereadAll(), { signal: end.signal });
    return () => {
      end.abort();
      queries.clear();
    };
    // The stream belongs to the person; a change of the person's record does not end it.
  }, [key]);
  return (
    <div className={styles['frame']}>
      <SkipLinks content={content} />
      <Navigation />
      <Commands />
      <Compose />
      <ScreenKeys />
      <div ref={content} tabIndex={-1} className={styles['content']}>
        <ConnectionNotice />
        <Failsafe>
          <Suspense fallback={<LoadingPart />}>
            <Screens />
          </Suspense>
        </Failsafe>
      </div>
    </div>
  );
}

function Compose(): ReactElement | null {
  return useComposing() === null ? null : (
    <Suspense fallback={<LoadingDialog onClose={endComposing} />}>
      <ComposeDialog />
    </Suspense>
  );
}

function Screens(): ReactElement {
  const texts = useTexts(FRAME);
  return (
    <Switch>
      <Route path="/">
        <Redirect to="/inbox" replace />
      </Route>
      {SCREENS.map(({ path, Component: Shown }) => (
        <Route key={path} path={`/${path}`} nest>
          <Shown />
        </Route>
      ))}
      <Route>
        <Empty icon="search" title={texts.notFound}>
          <Link href="/inbox">{texts.toStart}</Link>
        </Empty>
      </Route>
    </Switch>
  );
}

/** A connection that is lost for a moment only, as at each restart of the platform, is not worth a notice. */
const NOTICE_MS = 2_500;

function ConnectionNotice(): ReactElement | null {
  const texts = useTexts(FRAME);
  const { isConnected } = useLiveStatus();
  const isOnline = useIsOnline();
  const [isShown, show] = useState(false);
  useEffect(() => {
    if (isConnected) return show(false);
    const timer = setTimeout(() => show(true), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [isConnected]);
  return isShown || !isOnline ? (
    <p className={styles['notice']} role="status">
      {isOnline ? texts.notConnected : texts.offline}
    </p>
  ) : null;
}

/** The first stops of the Tab key: what a person who uses the keyboard came for, without the way through the navigation. */
function SkipLinks({ content }: { content: RefObject<HTMLElement | null> }): ReactElement {
  const texts = useTexts(FRAME);
  const [isThread] = useRoute('/inbox/:view/:conversation');
  return (
    <div className={styles['skip']}>
      <Button onClick={() => content.current?.focus()}>{texts.toContent}</Button>
      {isThread && <Button onClick={returnToComposer}>{texts.toReply}</Button>}
    </div>
  );
}

/** Shows that a screen has failed, and leaves the rest of the page as it is. */
class Failsafe extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <Broken /> : this.props.children;
  }
}

function Broken(): ReactElement {
  const texts = useTexts(FRAME);
  return (
    <Empty icon="warning" title={texts.broken}>
      <Button onClick={() => location.reload()}>{texts.reload}</Button>
    </Empty>
  );
}

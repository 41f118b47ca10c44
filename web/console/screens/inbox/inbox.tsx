/** The inbox: the views, the conversations of one view, and one conversation. */
import type { ReactElement } from 'react';
import { Redirect, useParams, Route, Switch } from 'wouter';
import { useCounts } from '../../records/conversations.ts';
import { useLoadedViews, useSavedView } from '../../records/views.ts';
import { useSession } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Empty, Loading } from '../../ui/state.tsx';
import { useTitle } from '../../ui/title.ts';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useChangeKeys, useViewKeys } from './conversation-keys.tsx';
import { ConversationList } from './conversation-list.tsx';
import { useAreViewsFolded } from './details.ts';
import { FirstRun } from './first-run/first-run.tsx';
import { useFirstRun } from './first-run/state.ts';
import styles from './inbox.module.css';
import { INBOX } from './texts.ts';
import { Thread } from './thread/thread.tsx';
import { findFilter } from './views.ts';
import { ViewList } from './view-list.tsx';

export function InboxScreen(): ReactElement {
  return (
    <Switch>
      <Route path="/:view/:conversation?">
        <InboxView />
      </Route>
      <Route>
        <FirstView />
      </Route>
    </Switch>
  );
}

/** Opens the user's own conversations, or all open ones while there are only others. */
function FirstView(): ReactElement {
  const { data: counts, isPending } = useCounts();
  if (isPending) return <Loading />;
  const hasOnlyOthers = counts?.queues.mine === 0 && counts.queues.all > 0;
  return <Redirect to={hasOnlyOthers ? '/all' : '/mine'} replace />;
}

function InboxView(): ReactElement {
  const { view, conversation } = useParams<{ view: string; conversation?: string }>();
  const { user } = useSession();
  const texts = useTexts(INBOX);
  const saved = useSavedView(view);
  const isLoading = useLoadedViews() === undefined;
  const filter = findFilter(view, user._id, saved);
  useTitle(useTexts(SCREEN_NAMES).inbox);
  useViewKeys(view);
  useChangeKeys(view, conversation ?? null);
  const isFirstRun = useFirstRun().isWanted;
  const isFolded = useAreViewsFolded(conversation !== undefined);
  if (!filter && isLoading && view.startsWith('view-')) return <Loading />;
  if (!filter) return <Redirect to="/mine" replace />;
  return (
    <main
      className={styles['inbox']}
      data-open={conversation !== undefined}
      data-folded={isFolded}
      data-first-run={isFirstRun}
    >
      {!isFolded && <ViewList current={view} />}
      <ConversationList {...{ view, filter, isFolded }} current={conversation ?? null} />
      {conversation === undefined ? (
        <div className={styles['nothing']}>
          {isFirstRun ? <FirstRun /> : <Empty icon="channel" title={texts.nothingOpen} />}
        </div>
      ) : (
        <Thread key={conversation} id={conversation} view={view} />
      )}
    </main>
  );
}

/** The inbox: the views, the conversations of one view, and one conversation. */
import { Suspense, useEffect, type ReactElement } from 'react';
import { Redirect, useParams, Route, Switch } from 'wouter';
import { endAskedDialog, useAskedDialog } from '../../frame/conversation-dialogs.ts';
import { endMerging, useMerging } from '../../frame/merging.ts';
import { useCounts, useIsRemoved } from '../../records/conversations.ts';
import { useMergedInto } from '../../records/merged.ts';
import { useLoadedViews, useSavedView } from '../../records/views.ts';
import { useSession } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { lazyPart, LoadingDialog, LoadingPart } from '../../ui/lazy-part.tsx';
import { useEntered } from '../../ui/page.tsx';
import { Empty, Loading } from '../../ui/state.tsx';
import { useTitle } from '../../ui/title.ts';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useChangeKeys, useViewKeys } from './conversation-keys.tsx';
import { ConversationList } from './conversation-list.tsx';
import { useAreViewsFolded } from './details.ts';
import { useFirstRun } from './first-run/state.ts';
import styles from './inbox.module.css';
import { INBOX } from './texts.ts';
import { findFilter } from './views.ts';
import { ViewList } from './view-list.tsx';

const Thread = lazyPart(async () => (await import('./thread/thread.tsx')).Thread);
const FirstRun = lazyPart(async () => (await import('./first-run/first-run.tsx')).FirstRun);
const MergeDialog = lazyPart(async () => (await import('./merge/merge-dialog.tsx')).MergeDialog);

const SearchDialog = lazyPart(async () => (await import('./thread/search-dialog.tsx')).SearchDialog);
const TagsDialog = lazyPart(async () => (await import('./thread/tags-dialog.tsx')).TagsDialog);

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
  useEntered();
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
          {isFirstRun ? (
            <Suspense fallback={<LoadingPart />}>
              <FirstRun />
            </Suspense>
          ) : (
            <Empty icon="channel" title={texts.nothingOpen} />
          )}
        </div>
      ) : (
        <Open key={conversation} id={conversation} view={view} />
      )}
      <Merging open={conversation} />
      <AskedDialog open={conversation} view={view} />
    </main>
  );
}

/** The open conversation, unless another user has merged or removed it meanwhile. */
function Open({ id, view }: { id: string; view: string }): ReactElement {
  const texts = useTexts(INBOX);
  const into = useMergedInto(id);
  const isRemoved = useIsRemoved(id);
  if (into !== null) return <Redirect to={`/${view}/${into}`} replace state={history.state} />;
  if (!isRemoved)
    return (
      <Suspense fallback={<LoadingPart />}>
        <Thread id={id} view={view} />
      </Suspense>
    );
  return (
    <div className={styles['nothing']} role="status">
      <Empty icon="channel" title={texts.removed} />
    </div>
  );
}

/** The dialog that merges the open conversation. It closes when the user opens another conversation. */
function Merging({ open }: { open: string | undefined }): ReactElement | null {
  const merging = useMerging();
  useEffect(() => endMerging, [open]);
  return merging === null || merging._id !== open ? null : (
    <Suspense fallback={<LoadingDialog onClose={endMerging} />}>
      <MergeDialog />
    </Suspense>
  );
}

/** The dialog that was asked for in the open conversation. It closes when the user opens another one. */
function AskedDialog({ open, view }: { open: string | undefined; view: string }): ReactElement | null {
  const asked = useAskedDialog();
  useEffect(() => endAskedDialog, [open]);
  if (asked === null || asked.conversation !== open) return null;
  return (
    <Suspense fallback={<LoadingDialog onClose={endAskedDialog} />}>
      {asked.dialog === 'TAGS' ? <TagsDialog conversation={open} /> : <SearchDialog conversation={open} view={view} />}
    </Suspense>
  );
}

import type { ReactElement, ReactNode } from 'react';
import { hasNothing, type FeedView } from '../records/feeds.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import type { IconName } from './icon.tsx';
import { ListScreen } from './list-screen.tsx';
import { Page } from './page.tsx';
import { RecordList, type Column } from './record-list.tsx';
import { Empty } from './state.tsx';
import { COMMON } from './texts.ts';

interface RecordsPageProps<T> {
  title: string;
  /** One sentence about what the screen is for. */
  lead?: ReactNode;
  feed: FeedView<T>;
  columns: readonly Column<T>[];
  /** The second line of a row on a phone. */
  below?: ((record: T) => ReactNode) | undefined;
  onOpen?: ((record: T) => void) | undefined;
  /** The button that makes a record; `false` without the right to. */
  create: false | { label: string; run(): void };
  /** Other buttons of the head. */
  actions?: ReactNode;
  /** The search and the filters. */
  tools?: ReactNode;
  /** Whether `tools` leave records out, so that an empty list does not mean that there are none. */
  isFiltered?: boolean;
  /** What is shown when there is no record at all. */
  empty: { icon: IconName; title: string; lead?: string };
  /** The dialogs of the screen. */
  children?: ReactNode;
}

/** The screen of a list of records. The create button is always in its head, so it does not move while a user is about to press it. */
export function RecordsPage<T extends { _id: string }>(props: RecordsPageProps<T>): ReactElement {
  const {
    title,
    lead,
    feed,
    columns,
    below,
    onOpen,
    create,
    actions,
    tools,
    isFiltered = false,
    empty,
    children,
  } = props;
  const common = useTexts(COMMON);
  const isFirst = !isFiltered && hasNothing(feed);
  const list = (
    <RecordList
      label={title}
      {...{ feed, columns, below, onOpen }}
      empty={
        <Empty icon={empty.icon} title={isFirst ? empty.title : common.nothingFound}>
          {isFirst && empty.lead !== undefined && <p>{empty.lead}</p>}
        </Empty>
      }
    />
  );
  return (
    <Page
      {...{ title, lead }}
      actions={
        actions || create ? (
          <>
            {actions}
            {create && (
              <Button kind="primary" icon="plus" onClick={create.run}>
                {create.label}
              </Button>
            )}
          </>
        ) : null
      }
    >
      {tools === undefined ? list : <ListScreen {...{ tools }}>{list}</ListScreen>}
      {children}
    </Page>
  );
}

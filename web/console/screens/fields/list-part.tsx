/** One of the two lists of the screen, with the dialog that makes and changes its records. */
import { useState, type ReactElement, type ReactNode } from 'react';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import type { FeedView } from '../../records/feeds.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import type { IconName } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { RecordList, type Column } from '../../ui/record-list.tsx';
import { Empty } from '../../ui/state.tsx';
import styles from './fields.module.css';

interface ListPartProps<T> {
  /** The links between the parts of the screen. */
  parts: ReactNode;
  /** The first word of the scopes, for example `pipelines`. */
  resource: 'custom-fields' | 'pipelines';
  icon: IconName;
  texts: { lead: string; label: string; create: string; nothing: string };
  feed: FeedView<T>;
  columns: readonly Column<T>[];
  /** Null makes a new record. */
  renderDialog(record: T | null, close: () => void): ReactNode;
}

export function ListPart<T extends { _id: string }>(props: ListPartProps<T>): ReactElement {
  const { parts, resource, icon, texts, feed, columns, renderDialog } = props;
  const names = useTexts(SCREEN_NAMES);
  const mayCreate = useMay(`${resource}:create`);
  const mayChange = useMay(`${resource}:update`);
  const [edited, edit] = useState<T | 'NEW' | null>(null);
  return (
    <Page
      title={names.fields}
      lead={texts.lead}
      actions={
        mayCreate && (
          <Button kind="primary" icon="plus" onClick={() => edit('NEW')}>
            {texts.create}
          </Button>
        )
      }
    >
      <div className={styles['screen']}>
        {parts}
        <div className={styles['list']}>
          <RecordList
            label={texts.label}
            feed={feed}
            columns={columns}
            empty={<Empty icon={icon} title={texts.nothing} />}
            onOpen={mayChange ? edit : undefined}
          />
        </div>
      </div>
      {edited !== null && renderDialog(edited === 'NEW' ? null : edited, () => edit(null))}
    </Page>
  );
}

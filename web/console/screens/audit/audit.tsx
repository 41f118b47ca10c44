/** The audit: every change of the company's records, with its author. */
import type { AuditEntry, AuditListQuery } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useFeed } from '../../records/feeds.ts';
import { formatListed } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { startOf } from '../../ui/days.ts';
import { Page } from '../../ui/page.tsx';
import { RecordList, type Column } from '../../ui/record-list.tsx';
import { Empty } from '../../ui/state.tsx';
import { AuditEntryDialog } from './audit-entry-dialog.tsx';
import { AuditFilters, EVERYTHING, type ChosenFilters } from './audit-filters.tsx';
import styles from './audit.module.css';
import { AUDIT } from './texts.ts';
import { useActionWords, useActorWords } from './words.ts';

export function AuditScreen(): ReactElement {
  const texts = useTexts(AUDIT);
  const names = useTexts(SCREEN_NAMES);
  const [choice, choose] = useState(EVERYTHING);
  const [opened, open] = useState<AuditEntry | null>(null);
  const filter = toFilter(choice);
  const feed = useFeed<AuditEntry>(
    ['audit', filter],
    (after, signal) => parley.audit.list({ ...filter, limit: 100, skipCount: true, after }, { signal }),
    { isLive: false },
  );
  return (
    <Page
      title={names.audit}
      lead={texts.lead}
      actions={
        <Button icon="refresh" onClick={feed.reread}>
          {texts.readAgain}
        </Button>
      }
    >
      <div className={styles['audit']}>
        <AuditFilters choice={choice} onChange={choose} />
        <div className={styles['list']}>
          <RecordList
            label={names.audit}
            feed={feed}
            columns={useColumns()}
            below={({ createdAt, resource_name: name }) => [name ?? [], formatListed(createdAt)].flat().join(' · ')}
            empty={<Empty icon="audit" title={texts.nothing} />}
            onOpen={open}
          />
        </div>
      </div>
      {opened && <AuditEntryDialog entry={opened} onClose={() => open(null)} />}
    </Page>
  );
}

const toFilter = ({ actor, resource, action, from, to }: ChosenFilters): AuditListQuery => ({
  actor: actor || undefined,
  resource: resource || undefined,
  action: action || undefined,
  from: from ? startOf(from) : undefined,
  to: to ? startOf(to, 1) : undefined,
});

function useColumns(): Column<AuditEntry>[] {
  const texts = useTexts(AUDIT);
  const nameActor = useActorWords();
  const nameAction = useActionWords();
  return [
    {
      key: 'when',
      title: texts.when,
      width: '150px',
      isSecondary: true,
      render: ({ createdAt }) => formatListed(createdAt),
    },
    { key: 'who', title: texts.who, width: 'minmax(120px, 2fr)', render: ({ actor }) => nameActor(actor) },
    { key: 'action', title: texts.action, width: 'minmax(140px, 3fr)', render: nameAction },
    {
      key: 'record',
      title: texts.record,
      width: 'minmax(120px, 2fr)',
      isSecondary: true,
      render: ({ resource_name: name }) => name ?? '–',
    },
    {
      key: 'address',
      title: texts.address,
      width: '150px',
      isSecondary: true,
      render: ({ address }) => address ?? '–',
    },
  ];
}

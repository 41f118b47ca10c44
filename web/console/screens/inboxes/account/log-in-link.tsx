/** The link by which somebody logs in with the account of an inbox, at the network's own page. */
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { formatMoment } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { Failure, Loading } from '../../../ui/state.tsx';
import styles from '../inboxes.module.css';
import { ACCOUNT } from './texts.ts';

export function LogInLink({ inbox }: { inbox: string }): ReactElement {
  const texts = useTexts(ACCOUNT);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['log-in-link', inbox],
    queryFn: ({ signal }) => parley.inboxes.makeConnectLink(inbox, { signal }),
    // Each link is a new one at the network, so none is made before a person asks for it.
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const makeAnother = (): void => void refetch();
  if (isFetching) return <Loading />;
  if (error || !data) return <Failure error={error} onRetry={makeAnother} />;
  return (
    <>
      <p>{texts.logInLead}</p>
      <p>
        <a href={data.url} target="_blank" rel="noopener noreferrer">
          {texts.openLink}
        </a>
      </p>
      <CopyField label={texts.link} value={data.url} hint={texts.linkHint(formatMoment(data.expires_at))} />
      <div className={styles['actions']}>
        <Button icon="refresh" onClick={makeAnother}>
          {texts.newLink}
        </Button>
      </div>
    </>
  );
}

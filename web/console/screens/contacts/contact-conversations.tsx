/** The conversations of a contact, each as a link into the inbox. */
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { toScreen } from '../../client.ts';
import { useConversations } from '../../records/conversations.ts';
import { CHANNEL_NAMES } from '../../texts/channels.ts';
import { STATUS_NAMES } from '../../texts/conversation-states.ts';
import { formatShort } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { Preview } from '../../ui/preview.tsx';
import { Failure, Loading } from '../../ui/state.tsx';
import { COMMON } from '../../ui/texts.ts';
import styles from './contact-conversations.module.css';
import { CONTACTS } from './texts.ts';

export function ContactConversations({ contact }: { contact: string }): ReactElement {
  const texts = useTexts(CONTACTS);
  const common = useTexts(COMMON);
  const states = useTexts(STATUS_NAMES);
  const feed = useConversations({ contact });
  return (
    <Card title={texts.conversations}>
      {feed.isLoading && <Loading />}
      {feed.error && <Failure error={feed.error} />}
      {!feed.isLoading && feed.items.length === 0 && <p>{texts.noConversation}</p>}
      <ul className={styles['list']}>
        {feed.items.map(({ _id, channel, status, last_message: last, last_message_at: at }) => (
          <li key={_id}>
            <Link href={toScreen(`/inbox/all/${_id}`)} className={styles['conversation']}>
              <span className={styles['channel']}>{CHANNEL_NAMES[channel]}</span>
              <span className={styles['last']} dir="auto">
                {last && <Preview message={{ ...last, channel }} />}
              </span>
              <Badge tone={status === 'OPEN' ? 'good' : 'plain'}>{states[status]}</Badge>
              {at && <time dateTime={at}>{formatShort(at)}</time>}
            </Link>
          </li>
        ))}
      </ul>
      {feed.hasMore && (
        <Button isBusy={feed.isLoadingMore} onClick={feed.loadMore}>
          {common.loadMore}
        </Button>
      )}
    </Card>
  );
}

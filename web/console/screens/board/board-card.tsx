/** A conversation on the board. It opens its chat, and moves by drag, by menu and by keyboard. */
import { draggable } from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter';
import type { Conversation } from '@parley/sdk';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { Link } from 'wouter';
import { toScreen } from '../../client.ts';
import { useUser } from '../../records/company.ts';
import { useContactName } from '../../records/contacts.ts';
import { useMay } from '../../session/session.ts';
import { CHANNEL_NAMES } from '../../texts/channels.ts';
import { formatMoment, formatShort } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { LastMessage } from '../../ui/preview.tsx';
import { UnreadBadge } from '../../ui/unread-badge.tsx';
import styles from './board-card.module.css';
import { moveCard, toDraggedCard, type BoardStep } from './card-moves.ts';
import { useCardKeys } from './card-keys.ts';
import { BOARD } from './texts.ts';

interface BoardCardProps {
  conversation: Conversation;
  step: BoardStep;
  steps: readonly BoardStep[];
  /** It was moved here last, so it takes the focus. */
  isMoved: boolean;
}

export function BoardCard({ conversation, step, steps, isMoved }: BoardCardProps): ReactElement {
  const mayMove = useMay('conversations:update');
  const card = useRef<HTMLElement>(null);
  const [isDragged, setDragged] = useState(false);
  const press = useCardKeys({ conversation, step, steps, mayMove });
  useEffect(() => {
    if (!card.current || !mayMove) return undefined;
    return draggable({
      element: card.current,
      getInitialData: () => toDraggedCard(conversation),
      onDragStart: () => setDragged(true),
      onDrop: () => setDragged(false),
    });
  }, [conversation, mayMove]);
  useEffect(() => {
    if (isMoved) card.current?.querySelector('a')?.focus();
  }, [isMoved]);
  return (
    <article ref={card} className={styles['card']} data-card data-dragged={isDragged} onKeyDown={press}>
      <CardContent conversation={conversation} />
      {mayMove && <StepMenu conversation={conversation} steps={steps} />}
    </article>
  );
}

function CardContent({ conversation }: { conversation: Conversation }): ReactElement {
  const owner = useUser(conversation.owner);
  const { _id, step, channel, unread_count, last_message_at, tags } = conversation;
  const name = useContactName(conversation);
  return (
    <Link
      href={toScreen(`/inbox/${step === null ? 'all' : `step-${step}`}/${_id}`)}
      className={styles['link']}
      draggable={false}
    >
      <span className={styles['line']}>
        <Avatar name={name} size="small" />
        <span className={styles['name']} dir="auto">
          {name}
        </span>
      </span>
      <span className={styles['snippet']} dir="auto">
        <LastMessage conversation={conversation} />
      </span>
      <span className={styles['owner']}>
        {owner && <Avatar name={owner.name} picture={owner.avatar_url} size="small" />}
        <span className={styles['about']} dir="auto">
          {[owner?.name, CHANNEL_NAMES[channel], ...tags].filter(Boolean).join(' · ')}
        </span>
      </span>
      <span className={styles['end']}>
        {last_message_at && (
          <time className={styles['about']} dateTime={last_message_at} title={formatMoment(last_message_at)}>
            {formatShort(last_message_at)}
          </time>
        )}
        <UnreadBadge count={unread_count} />
      </span>
    </Link>
  );
}

function StepMenu({ conversation, steps }: Pick<BoardCardProps, 'conversation' | 'steps'>): ReactElement {
  const texts = useTexts(BOARD);
  const items = steps.map(({ _id, name }) => ({
    key: _id ?? 'none',
    label: name,
    isChosen: _id === conversation.step,
    onSelect: () => moveCard(conversation, _id),
  }));
  return (
    <div className={styles['menu']}>
      <Menu title={texts.moveTo} items={items} trigger={<IconButton icon="more" label={texts.moveTo} />} />
    </div>
  );
}

/** A message that the platform has not taken yet. */
import type { ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { returnToComposer } from '../../../frame/writing.ts';
import { OpenConversationLink } from '../../../ui/open-conversation-link.tsx';
import content from './content.module.css';
import styles from './message.module.css';
import { Quote } from './message.tsx';
import { discard, postAgain, type Outgoing } from './outbox.ts';
import { THREAD } from './texts.ts';

export function OutgoingBubble({ outgoing }: { outgoing: Outgoing }): ReactElement {
  const texts = useTexts(THREAD);
  const { content: given, problem, conversation, replyTo } = outgoing;
  return (
    <article className={`${styles['message']} ${styles['ours']} ${given.kind === 'NOTE' ? styles['note'] : ''}`}>
      <div className={`${styles['place']} ${styles['bubble']}`}>
        {replyTo !== null && <Quote conversation={conversation} id={replyTo} />}
        {given.kind === 'FILE' && (
          <p className={content['file']}>
            <Icon name="file" />
            <span className={content['name']} dir="auto">
              {given.name}
            </span>
          </p>
        )}
        <p className={content['text']} dir="auto">
          {given.text}
        </p>
      </div>
      {problem === null ? <footer className={styles['foot']}>{texts.sending}</footer> : <Stopped outgoing={outgoing} />}
    </article>
  );
}

function Stopped({ outgoing }: { outgoing: Outgoing }): ReactElement {
  const texts = useTexts(THREAD);
  const end = (act: (outgoing: Outgoing) => unknown) => (): void => {
    act(outgoing);
    returnToComposer();
  };
  return (
    <div role="alert">
      <p className={styles['cause']}>
        {texts.notSent}
        {outgoing.problem && `: ${outgoing.problem} `}
        {outgoing.openConversation && <OpenConversationLink conversation={outgoing.openConversation} />}
      </p>
      <div className={styles['buttons']}>
        <Button kind="quiet" onClick={end(discard)}>
          {texts.discard}
        </Button>
        <Button icon="refresh" onClick={end(postAgain)}>
          {texts.sendAgain}
        </Button>
      </div>
    </div>
  );
}

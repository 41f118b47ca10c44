/** @jsxImportSource preact */
/** A message that the platform does not have yet. */
import type { VNode } from 'preact';
import { discard, isWaiting, postAgain, type Outgoing } from '../chat/outbox.ts';
import { useStore } from '../store.ts';
import { useTexts } from '../texts/language.ts';
import { TEXTS } from '../texts/texts.ts';
import { Icon } from './icon.tsx';
import { RichText } from './message.tsx';

export function OutgoingBubble({ outgoing }: { outgoing: Outgoing }): VNode {
  const texts = useTexts(TEXTS);
  const isOffline = useStore(isWaiting);
  const { content, refusal, id } = outgoing;
  const cause = 'file' in content ? texts.refusedFile : texts.refused;
  return (
    <div class="message own on-its-way">
      <span class="unseen">{texts.you}</span>
      <div class="bubble">
        {'file' in content ? (
          <p class="file">
            <Icon name="file" />
            <span class="file-name" dir="auto">
              {content.file.name}
            </span>
          </p>
        ) : (
          <RichText text={content.content} />
        )}
      </div>
      {refusal === null ? (
        <p class="about">{isOffline ? texts.waiting : texts.sending}</p>
      ) : (
        <p class="about failed" role="alert">
          {texts.failed}: {cause}{' '}
          <button type="button" class="link" onClick={() => postAgain(outgoing)}>
            {texts.retry}
          </button>{' '}
          <button type="button" class="link" onClick={() => discard(id)}>
            {texts.remove}
          </button>
        </p>
      )}
    </div>
  );
}

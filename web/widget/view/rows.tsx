/** @jsxImportSource preact */
/** What stands in the thread: the welcome, the messages with a mark for each day, what is on its way, and who types. */
import { Fragment, type VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { writeDay } from '../../browser/formats.ts';
import type { ChatMessage, ChatSettings } from '../api/types.ts';
import { isNewestSeen, isOwn, makeRows } from '../chat/order.ts';
import { outbox } from '../chat/outbox.ts';
import { thread } from '../chat/thread.ts';
import { typist } from '../chat/typing.ts';
import { visitor } from '../chat/visitor.ts';
import { writeText } from '../chat/writing.ts';
import { useStore } from '../store.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import { TEXTS } from '../texts/texts.ts';
import { MessageBubble } from './message.tsx';
import { OutgoingBubble } from './outgoing.tsx';

interface RowsProps {
  settings: ChatSettings;
  canReply: boolean;
}

export function Rows({ settings, canReply }: RowsProps): VNode {
  const language = useLanguage();
  const texts = useTexts(TEXTS);
  const { messages, unseenCount, hasOlder, isLoaded } = useStore(thread);
  const waiting = useStore(outbox);
  const isNew = useStore(visitor) === null;
  const name = useStore(typist);
  const rows = useMemo(() => makeRows(messages), [messages]);
  const last = messages.at(-1);
  const lastOwn = messages.findLast(isOwn);
  const isEmpty = messages.length === 0 && waiting.length === 0;
  const stateText = isNewestSeen(lastOwn, unseenCount) ? texts.seen : texts.sent;
  return (
    <div class="rows">
      {!hasOlder && (isLoaded || isNew) && <Welcome text={settings.welcome_text} />}
      {isEmpty && canReply && settings.quick_replies.length > 0 && (
        <ChoiceButtons
          label={texts.quickReplies}
          titles={settings.quick_replies}
          onChoose={(title) => writeText(title)}
        />
      )}
      {rows.map((row) =>
        row.kind === 'day' ? (
          <h2 key={row.key} class="day">
            {writeDay(language, row.at)}
          </h2>
        ) : (
          <Fragment key={row.key}>
            <MessageBubble
              message={row.message}
              isFirst={row.isFirst}
              isLast={row.isLast}
              state={row.message === lastOwn && waiting.length === 0 ? stateText : null}
            />
            {row.message === last && canReply && row.message.buttons.length > 0 && (
              <ChoiceButtons
                label={texts.quickReplies}
                titles={row.message.buttons.map(({ title }) => title)}
                onChoose={(_title, index) => press(row.message, index)}
              />
            )}
          </Fragment>
        ),
      )}
      {waiting.map((outgoing) => (
        <OutgoingBubble key={outgoing.id} outgoing={outgoing} />
      ))}
      {name !== null && <p class="typing">{texts.typing(name)}</p>}
    </div>
  );
}

function press({ _id, buttons }: ChatMessage, index: number): void {
  const button = buttons[index];
  if (button) writeText(button.title, { reply_to: _id, button: button.id });
}

const Welcome = ({ text }: { text: string | null }): VNode | null =>
  text === null ? null : (
    <div class="message">
      <p class="bubble" dir="auto">
        {text}
      </p>
    </div>
  );

interface ChoiceButtonsProps {
  label: string;
  titles: readonly string[];
  onChoose(title: string, index: number): void;
}

const ChoiceButtons = ({ label, titles, onChoose }: ChoiceButtonsProps): VNode => (
  <div class="choices" role="group" aria-label={label}>
    {titles.map((title, index) => (
      // Two buttons may have the same title, and the list never changes.
      <button key={index} type="button" class="chip" dir="auto" onClick={() => onChoose(title, index)}>
        {title}
      </button>
    ))}
  </div>
);

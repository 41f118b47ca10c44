/** @jsxImportSource preact */
/** The chat: who answers, the messages, and the place to write. */
import type { TargetedDragEvent, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { SITE } from '../address.ts';
import type { ChatSettings } from '../api/types.ts';
import { answers } from '../chat/answers.ts';
import { isWaiting } from '../chat/outbox.ts';
import { thread } from '../chat/thread.ts';
import { needsIdentity, visitor } from '../chat/visitor.ts';
import { findFormat } from '../../browser/formats.ts';
import { useStore } from '../store.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import { TEXTS } from '../texts/texts.ts';
import { Composer } from './composer.tsx';
import { postFiles } from './files.ts';
import { IconButton } from './icon.tsx';
import { Picture } from './picture.tsx';
import { Questions } from './questions.tsx';
import { Thread } from './thread.tsx';

const DAY_MS = 86_400_000;

interface PanelProps {
  settings: ChatSettings;
  onClose(): void;
}

export function Panel({ settings, onClose }: PanelProps): VNode {
  const texts = useTexts(TEXTS);
  const [isDragging, setDragging] = useState(false);
  const [notice, setNotice] = useState<string | null>(null);
  const isOffline = useStore(isWaiting);
  const part = useLowerPart(settings);
  const addFiles = (files: readonly File[]): void => setNotice(postFiles(files, settings.max_file_bytes));
  const drag = (event: TargetedDragEvent<HTMLElement>): void => {
    if (part !== 'composer' || !event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    setDragging(event.type !== 'dragleave' && event.type !== 'drop');
    if (event.type === 'drop') addFiles([...event.dataTransfer.files]);
  };
  return (
    <main class="panel" onDragEnter={drag} onDragOver={drag} onDragLeave={drag} onDrop={drag}>
      <Head settings={settings} onClose={onClose} />
      {isOffline && (
        <p class="banner" role="status">
          {texts.offline}
        </p>
      )}
      <Thread settings={settings} canReply={part === 'composer'} />
      {part === 'sign-in' && <p class="sign-in">{texts.signIn}</p>}
      {part === 'questions' && <Questions questions={settings.questions} />}
      {part === 'composer' && <Composer notice={notice} onNotice={setNotice} onFiles={addFiles} />}
      {isDragging && <p class="drop">{texts.drop}</p>}
    </main>
  );
}

/** What stands below the messages: the composer, unless something has to be known before. */
function useLowerPart({ identity_required, questions }: ChatSettings): 'sign-in' | 'questions' | 'composer' {
  const current = useStore(visitor);
  const isRefused = useStore(needsIdentity);
  const hasAnswered = useStore(answers) !== null;
  const hasMessages = useStore(thread).messages.length > 0;
  if (isRefused || (identity_required && !current)) return 'sign-in';
  const asks = questions.length > 0 && !current?.has_conversation;
  return asks && !hasAnswered && !hasMessages ? 'questions' : 'composer';
}

/** Formats a time as “Monday at 09:00”. If it is six or more days ahead, the date is added, because the weekday alone would be ambiguous. */
function writeOpening(language: string, at: string): string {
  const isFar = Date.parse(at) - Date.now() >= 6 * DAY_MS;
  const date = isFar ? ({ day: 'numeric', month: 'long' } as const) : {};
  return findFormat(language, { weekday: 'long', ...date, hour: '2-digit', minute: '2-digit' }).format(new Date(at));
}

function Head({ settings, onClose }: PanelProps): VNode {
  const texts = useTexts(TEXTS);
  const language = useLanguage();
  const { title, avatar_url, availability } = settings;
  const { is_open, opens_at, away_text } = availability;
  const moment = opens_at && writeOpening(language, opens_at);
  const away = [away_text ?? texts.away, moment && texts.opensAt(moment)].filter(Boolean).join(' · ');
  return (
    <header class="head">
      <Picture address={avatar_url} class="avatar">
        <span class="avatar" aria-hidden="true">
          {Array.from(title)[0]}
        </span>
      </Picture>
      <div class="head-text">
        <h1 dir="auto">{title}</h1>
        <p class={is_open ? 'state' : 'state away'} dir="auto">
          {is_open ? texts.open : away}
        </p>
      </div>
      {SITE !== null && <IconButton icon="close" label={texts.close} onClick={onClose} />}
    </header>
  );
}

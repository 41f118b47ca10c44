/** @jsxImportSource preact */
/** The messages, the newest below. Older ones are read when somebody scrolls up; what is read stays where it is. */
import type { RefObject, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ChatSettings } from '../api/types.ts';
import { loadOlder, thread } from '../chat/thread.ts';
import { useStore } from '../store.ts';
import { useTexts } from '../texts/language.ts';
import { TEXTS } from '../texts/texts.ts';
import { IconButton } from './icon.tsx';
import { Rows } from './rows.tsx';

/** Somebody who is this close to the end follows new messages. */
const END_PIXELS = 60;
/** How far from the oldest loaded message the ones before it are read. */
const AHEAD_PIXELS = 300;

interface ThreadProps {
  settings: ChatSettings;
  /** The visitor may answer, also by a button. */
  canReply: boolean;
}

export function Thread({ settings, canReply }: ThreadProps): VNode {
  const texts = useTexts(TEXTS);
  const { hasOlder, isLoadingOlder, messages } = useStore(thread);
  const scroller = useRef<HTMLDivElement>(null);
  const { isAtEnd, onScroll, toEnd } = useEnd(scroller, messages[0]?._id);
  // Failure policy: what could not be read is asked for again by the next scroll or press.
  const readOlder = (): void => void loadOlder().catch(() => undefined);
  const scroll = (): void => {
    onScroll();
    if (hasOlder && (scroller.current?.scrollTop ?? AHEAD_PIXELS) < AHEAD_PIXELS) readOlder();
  };
  return (
    <div class="thread">
      <div
        ref={scroller}
        class="scroller"
        role="log"
        aria-label={texts.messages}
        aria-busy={isLoadingOlder}
        tabIndex={0}
        onScroll={scroll}
      >
        {hasOlder && (
          <button type="button" class="chip older" disabled={isLoadingOlder} onClick={readOlder}>
            {texts.older}
          </button>
        )}
        <Rows settings={settings} canReply={canReply} />
      </div>
      {!isAtEnd && (
        <div class="to-end">
          <IconButton icon="down" label={texts.newest} onClick={toEnd} />
        </div>
      )}
    </div>
  );
}

/** Keeps the end in sight as long as the visitor is there, and what they read in its place when older messages come above it. */
function useEnd(scroller: RefObject<HTMLDivElement | null>, oldest: string | undefined) {
  const [isAtEnd, setAtEnd] = useState(true);
  const place = useRef({ isAtEnd: true, oldest, height: 0 });
  const toEnd = (): void => scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  useLayoutEffect(() => {
    const { current: box } = scroller;
    if (!box) return;
    const { isAtEnd: wasAtEnd, oldest: before, height } = place.current;
    if (wasAtEnd) toEnd();
    else if (before !== oldest) box.scrollTop += box.scrollHeight - height;
    place.current.oldest = oldest;
    place.current.height = box.scrollHeight;
  });
  useEffect(() => {
    const { current: box } = scroller;
    if (!box) return undefined;
    // A picture that has loaded, and a composer that has grown, move the end.
    const sizes = new ResizeObserver(() => place.current.isAtEnd && toEnd());
    for (const each of [box, ...box.children]) sizes.observe(each);
    return () => sizes.disconnect();
  }, [scroller]);
  const onScroll = (): void => {
    const { current: box } = scroller;
    if (!box) return;
    place.current.isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < END_PIXELS;
    place.current.height = box.scrollHeight;
    setAtEnd(place.current.isAtEnd);
  };
  return { isAtEnd, onScroll, toEnd };
}

/** @jsxImportSource preact */
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { SITE } from '../address.ts';
import { settings } from '../chat/settings.ts';
import { tellHost } from '../host.ts';
import { useStore } from '../store.ts';
import { useTexts } from '../texts/language.ts';
import { TEXTS } from '../texts/texts.ts';
import { IconButton } from './icon.tsx';
import { Panel } from './panel.tsx';

const closePanel = (): void => tellHost({ parley: 'close' });

export function App(): VNode {
  const current = useStore(settings);
  const texts = useTexts(TEXTS);
  useEffect(() => {
    const press = ({ key, isComposing, defaultPrevented }: KeyboardEvent): void => {
      if (key === 'Escape' && !isComposing && !defaultPrevented) closePanel();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  if (current !== null && current !== 'gone') return <Panel settings={current} onClose={closePanel} />;
  return (
    <main class="panel">
      <header class="head">
        <span class="head-text" />
        {SITE !== null && <IconButton icon="close" label={texts.close} onClick={closePanel} />}
      </header>
      <p class="empty" role="status">
        {current === 'gone' ? texts.gone : texts.connecting}
      </p>
    </main>
  );
}

/** Parts of the console that are loaded when they are first shown. */
import { lazy, useEffect, type ComponentType, type LazyExoticComponent, type ReactElement } from 'react';
import { countFailure, forgetFailures } from '../reloads.ts';
import { createStore, useStore } from '../store.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Empty, Loading } from './state.tsx';
import { COMMON } from './texts.ts';

/** A part did not arrive. */
const isMissing = createStore(false);

export const lazyPart = <Props,>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> => lazy(async () => ({ default: await loadPart(load) }));

async function loadPart<Props>(load: () => Promise<ComponentType<Props>>): Promise<ComponentType<Props>> {
  // Failure policy: a browser remembers that a file did not arrive, so only a new page asks for it again.
  const part = await load().catch(() => null);
  if (part) forgetFailures();
  else isMissing.set(true);
  return part ?? new Promise(() => undefined);
}

/** What is shown until a part is there. */
export function LoadingPart(): ReactElement {
  return useStore(isMissing) ? <MissingPart /> : <Loading />;
}

/** The same for a part that lies above the page. Until it is known to be missing, the page stays as it is. */
export function LoadingDialog({ onClose }: { onClose(): void }): ReactElement | null {
  const texts = useTexts(COMMON);
  return useStore(isMissing) ? (
    <Dialog title={texts.loading} onClose={onClose}>
      <MissingPart />
    </Dialog>
  ) : null;
}

function MissingPart(): ReactElement {
  const texts = useTexts(COMMON);
  useEffect(() => {
    const timer = setTimeout(() => location.reload(), countFailure());
    return () => clearTimeout(timer);
  }, []);
  return (
    <Empty icon="warning" title={texts.notLoaded}>
      <Button onClick={() => location.reload()}>{texts.loadAgain}</Button>
    </Empty>
  );
}

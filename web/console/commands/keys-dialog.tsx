/** All keys, in the language of the console. */
import { Fragment, type ReactElement } from 'react';
import { SCREEN_KEYS } from '../frame/screen-keys.tsx';
import { useVisibleScreens } from '../frame/screens.ts';
import { COMMAND_KEY } from '../frame/shortcuts.ts';
import { FRAME, SCREEN_NAMES } from '../frame/texts.ts';
import { useTexts } from '../texts/texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import styles from './keys-dialog.module.css';
import { closeCommandDialog, findFocusBefore } from './opened.ts';
import { KEYS } from './texts.ts';

/** The keys of one line, and what they do. */
type Line = readonly [keys: readonly string[], what: string];

export function KeysDialog(): ReactElement {
  const texts = useTexts(KEYS);
  const names = useTexts(SCREEN_NAMES);
  const frame = useTexts(FRAME);
  const screens = useVisibleScreens().map(({ name }): Line => [['G', SCREEN_KEYS[name].toUpperCase()], names[name]]);
  const everywhere: Line[] = [
    [[COMMAND_KEY, 'K'], texts.search],
    [['C'], frame.compose],
    [['?'], texts.keys],
    [['Esc'], texts.leave],
  ];
  const conversations: Line[] = [
    [['J'], texts.next],
    [['K'], texts.previous],
    [['['], texts.viewBefore],
    [[']'], texts.viewAfter],
    [['X'], texts.select],
    [['Shift', 'X'], texts.selectRange],
  ];
  const conversation: Line[] = [
    [['R'], texts.reply],
    [['N'], texts.note],
    [['A'], texts.assign],
    [['E'], texts.close],
    [['U'], texts.unread],
    [[COMMAND_KEY, 'Z'], texts.undoSend],
  ];
  return (
    <Dialog title={texts.title} width="wide" onClose={closeCommandDialog} finalFocus={() => findFocusBefore() ?? true}>
      {/* The arrow keys scroll it. */}
      <div className={styles['groups']} role="group" aria-label={texts.title} tabIndex={0}>
        <Group title={texts.everywhere} lines={everywhere} />
        <Group title={texts.inConversation} lines={conversation} />
        <Group title={texts.inList} lines={conversations} />
        <Group title={texts.toScreens} lines={screens} />
      </div>
    </Dialog>
  );
}

function Group({ title, lines }: { title: string; lines: readonly Line[] }): ReactElement {
  return (
    <section className={styles['group']}>
      <h2>{title}</h2>
      <dl className={styles['lines']}>
        {lines.map(([keys, what]) => (
          <Fragment key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key} className={styles['key']}>
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

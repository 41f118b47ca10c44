/** The menu of times for snoozing a conversation or scheduling a message, and the dialog for any other time. */
import { useState, type ReactElement, type ReactNode } from 'react';
import { findReturn } from '../../../frame/writing.ts';
import { formatListed } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import type { MenuItem } from '../../../ui/menu.tsx';
import { snoozeTimes, toLocalInput } from '../../../frame/snooze.ts';
import { THREAD } from './texts.ts';

interface TimeMenu {
  items: MenuItem[];
  dialog: ReactElement | null;
}

interface TimeWords {
  /** The title of the dialog, and the label of its button. */
  title: string;
  /** The label of the field. */
  label: string;
}

export function useTimeMenu(words: TimeWords, take: (at: string) => void): TimeMenu {
  const texts = useTexts(THREAD);
  const [isChoosing, choose] = useState(false);
  const { hour, tomorrow, monday } = snoozeTimes();
  const until = (key: string, label: string, at: string): MenuItem => ({
    key,
    label: `${label} · ${formatListed(at)}`,
    icon: 'clock',
    onSelect: () => take(at),
  });
  return {
    items: [
      until('hour', texts.inAnHour, hour),
      until('tomorrow', texts.tomorrow, tomorrow),
      until('monday', texts.monday, monday),
      { key: 'other', label: texts.otherTime, icon: 'clock', onSelect: () => choose(true) },
    ],
    dialog: isChoosing ? <TimeDialog {...words} first={tomorrow} take={take} onClose={() => choose(false)} /> : null,
  };
}

interface TimeDialogProps extends TimeWords {
  first: string;
  /** The label of the button; the title without one. */
  action?: string;
  /** What is changed together with the time. */
  children?: ReactNode;
  isComplete?: boolean;
  take(at: string): void;
  onClose(): void;
}

export function TimeDialog(props: TimeDialogProps): ReactElement {
  const { title, label, first, action = title, children, isComplete = true, take, onClose } = props;
  const texts = useTexts(THREAD);
  const [typed, type] = useState(() => toLocalInput(new Date(first)));
  const at = Date.parse(typed);
  const isPast = !(at > Date.now());
  return (
    <Dialog
      title={title}
      onClose={onClose}
      finalFocus={findReturn}
      actions={
        <Button
          kind="primary"
          disabled={isPast || !isComplete}
          onClick={() => {
            onClose();
            take(new Date(at).toISOString());
          }}
        >
          {action}
        </Button>
      }
    >
      {children}
      <TextField
        label={label}
        type="datetime-local"
        value={typed}
        onChange={type}
        error={isPast ? texts.notInFuture : null}
      />
    </Dialog>
  );
}

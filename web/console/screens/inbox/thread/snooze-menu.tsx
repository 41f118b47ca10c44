/** The times until which conversations can be snoozed, and the dialog for any other time. */
import { useState, type ReactElement } from 'react';
import { findReturn } from '../../../frame/writing.ts';
import { formatListed } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import type { MenuItem } from '../../../ui/menu.tsx';
import { snoozeTimes, toLocalInput } from './snooze.ts';
import { THREAD } from './texts.ts';

interface SnoozeMenu {
  items: MenuItem[];
  dialog: ReactElement | null;
}

export function useSnoozeMenu(snooze: (until: string) => void): SnoozeMenu {
  const texts = useTexts(THREAD);
  const [isChoosing, choose] = useState(false);
  const { hour, tomorrow, monday } = snoozeTimes();
  const until = (key: string, label: string, at: string): MenuItem => ({
    key,
    label: `${label} · ${formatListed(at)}`,
    icon: 'clock',
    onSelect: () => snooze(at),
  });
  return {
    items: [
      until('hour', texts.inAnHour, hour),
      until('tomorrow', texts.tomorrow, tomorrow),
      until('monday', texts.monday, monday),
      { key: 'other', label: texts.otherTime, icon: 'clock', onSelect: () => choose(true) },
    ],
    dialog: isChoosing ? <SnoozeDialog first={tomorrow} snooze={snooze} onClose={() => choose(false)} /> : null,
  };
}

interface SnoozeDialogProps {
  first: string;
  snooze(until: string): void;
  onClose(): void;
}

function SnoozeDialog({ first, snooze, onClose }: SnoozeDialogProps): ReactElement {
  const texts = useTexts(THREAD);
  const [typed, type] = useState(() => toLocalInput(new Date(first)));
  const at = Date.parse(typed);
  const isPast = !(at > Date.now());
  return (
    <Dialog
      title={texts.putAside}
      onClose={onClose}
      finalFocus={findReturn}
      actions={
        <Button
          kind="primary"
          disabled={isPast}
          onClick={() => {
            onClose();
            snooze(new Date(at).toISOString());
          }}
        >
          {texts.putAside}
        </Button>
      }
    >
      <TextField
        label={texts.until}
        type="datetime-local"
        value={typed}
        onChange={type}
        error={isPast ? texts.notInFuture : null}
      />
    </Dialog>
  );
}

/** The choice of events, each with what makes it fire. */
import { useId, type ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField } from '../../ui/field.tsx';
import type { EventName } from './deliveries.ts';
import { EVENT_HINTS, EVENT_NAMES, EVENT_TITLES } from './event-texts.ts';
import { WEBHOOK } from './texts.ts';
import styles from './webhook.module.css';

interface EventsFieldProps {
  events: readonly EventName[];
  onChange(events: readonly EventName[]): void;
  error: string | null;
}

export function EventsField({ events, onChange, error }: EventsFieldProps): ReactElement {
  const texts = useTexts(WEBHOOK);
  const titles = useTexts(EVENT_TITLES);
  const hints = useTexts(EVENT_HINTS);
  const id = useId();
  return (
    <fieldset className={styles['group']} aria-describedby={id}>
      <legend>{texts.events}</legend>
      <div className={styles['line']}>
        <Button onClick={() => onChange(EVENT_NAMES)}>{texts.all}</Button>
        <Button onClick={() => onChange([])}>{texts.nothing}</Button>
      </div>
      <p id={id} className={styles['error']} role="alert">
        {error}
      </p>
      {EVENT_NAMES.map((name) => (
        <CheckField
          key={name}
          label={titles[name]}
          hint={
            <>
              {hints[name]} <code>{name}</code>
            </>
          }
          checked={events.includes(name)}
          onChange={(isChosen) =>
            onChange(EVENT_NAMES.filter((each) => (each === name ? isChosen : events.includes(each))))
          }
        />
      ))}
    </fieldset>
  );
}

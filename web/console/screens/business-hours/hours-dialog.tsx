/** Creates business hours, changes them, or removes them. */
import type { BusinessHours } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useCompanyZone } from '../../records/company.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { toWeek, toWeekDraft, usualWeek } from '../../ui/hours/hours.ts';
import { WeekFields } from '../../ui/hours/week-fields.tsx';
import { explainField } from '../../ui/problem.ts';
import { RemoveButton } from '../../ui/remove-button.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { DateFields, toDateDrafts, toDates, type DateDraft } from './date-fields.tsx';
import { forgetHours, showHours } from './hours-list.ts';
import { BUSINESS_HOURS } from './texts.ts';

const FIELDS = ['name', 'time_zone', 'days', 'special_dates'];

interface HoursDialogProps {
  /** Null creates new business hours. */
  hours: BusinessHours | null;
  onClose(): void;
}

export function HoursDialog({ hours, onClose }: HoursDialogProps): ReactElement {
  const texts = useTexts(BUSINESS_HOURS);
  const common = useTexts(COMMON);
  const [name, setName] = useState(hours?.name ?? '');
  const zone = useCompanyZone();
  const [changed, setWeek] = useState(() => hours && toWeekDraft(hours));
  const week = changed ?? usualWeek(zone);
  const [dates, setDates] = useState<readonly DateDraft[]>(() => toDateDrafts(hours?.special_dates ?? []));
  const save = useMutation({
    mutationFn: () => {
      const body = { name, ...toWeek(week), special_dates: toDates(dates) };
      return hours ? parley.businessHours.update(hours._id, body) : parley.businessHours.create(body);
    },
    onSuccess: (saved) => {
      showHours(saved);
      showNotice(common.saved);
      onClose();
    },
  });
  const { error } = save;
  return (
    <Dialog
      title={hours?.name ?? texts.create}
      width="wide"
      onClose={onClose}
      actions={
        <>
          {hours && <RemoveHours hours={hours} onRemoved={onClose} />}
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" isBusy={save.isPending} onClick={() => save.mutate()}>
            {hours ? common.save : common.create}
          </Button>
        </>
      }
    >
      <FormProblem error={error} fields={FIELDS} />
      <TextField label={texts.name} value={name} onChange={setName} error={explainField(error, 'name')} />
      <WeekFields week={week} error={error} onChange={(next) => setWeek({ ...week, ...next })} />
      <DateFields dates={dates} error={error} onChange={setDates} />
    </Dialog>
  );
}

function RemoveHours({ hours, onRemoved }: { hours: BusinessHours; onRemoved(): void }): ReactElement | null {
  const texts = useTexts(BUSINESS_HOURS);
  if (!useMay('inboxes:delete')) return null;
  return (
    <RemoveButton
      meaning={texts.removing}
      remove={() => parley.businessHours.delete(hours._id)}
      onRemoved={() => {
        forgetHours(hours._id);
        showNotice(texts.removed(hours.name));
        onRemoved();
      }}
    />
  );
}

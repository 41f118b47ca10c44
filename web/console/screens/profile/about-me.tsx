/** The user's own name and picture, which others see. */
import type { ProfileUpdate, User } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { AVAILABILITIES, chooseAvailability } from '../../frame/availability.ts';
import { FRAME } from '../../frame/texts.ts';
import { useMay, useSession } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FileField } from '../../ui/file-field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { Card } from '../../ui/page.tsx';
import { explainField } from '../../ui/problem.ts';
import { showError, showNotice } from '../../ui/toast.tsx';
import { showUser } from '../users/user-list.ts';
import { shrinkPicture } from './shrink-picture.ts';
import styles from './profile.module.css';
import { PROFILE } from './texts.ts';

export function AboutMe(): ReactElement {
  const texts = useTexts(PROFILE);
  const frame = useTexts(FRAME);
  const { user } = useSession();
  const mayAnswer = useMay('messages:create');
  const [name, setName] = useState(user.name);
  const showChanged = (changed: User): void => {
    showUser(changed);
    showNotice(texts.saved);
  };
  const save = useMutation({
    mutationFn: (change: ProfileUpdate) => parley.auth.updateMe(change),
    onSuccess: showChanged,
  });
  const upload = useMutation({
    mutationFn: async (file: File) => {
      const picture = await shrinkPicture(file);
      return picture && parley.auth.uploadPicture({ file: picture });
    },
    onSuccess: (changed) => (changed ? showChanged(changed) : showError(texts.noPicture)),
  });
  return (
    <Card title={texts.aboutMe}>
      <div className={styles['picture']}>
        <Avatar name={user.name} picture={user.avatar_url} />
        <FileField
          label={texts.picture}
          choose={texts.choosePicture}
          name={null}
          accept="image/*"
          isBusy={upload.isPending}
          onChoose={(file) => upload.mutate(file)}
        />
        {user.avatar_url !== null && (
          <Button kind="quiet" icon="close" onClick={() => save.mutate({ picture: null })}>
            {texts.removePicture}
          </Button>
        )}
      </div>
      {mayAnswer && (
        <SelectField
          label={frame.availability}
          value={user.availability}
          options={AVAILABILITIES.map((value) => ({ value, label: frame[value] }))}
          onChange={chooseAvailability}
        />
      )}
      <FormProblem error={upload.error ?? save.error} fields={['name']} />
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        value={name}
        onChange={setName}
        error={explainField(save.error, 'name')}
      />
      <div>
        <Button
          kind="primary"
          isBusy={save.isPending}
          disabled={name === user.name}
          onClick={() => save.mutate({ name })}
        >
          {texts.save}
        </Button>
      </div>
    </Card>
  );
}

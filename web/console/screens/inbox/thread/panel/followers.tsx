/** Who follows a conversation, and whether the user does. */
import type { Participants } from '@parley/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../../../../client.ts';
import { NOTIFICATIONS } from '../../../../notifications/texts.ts';
import { queries } from '../../../../records/queries.ts';
import { useMay, useSession } from '../../../../session/session.ts';
import { useTexts } from '../../../../texts/texts.ts';
import { Button } from '../../../../ui/button.tsx';
import { showError } from '../../../../ui/toast.tsx';
import { NotLoaded } from './section.tsx';

export function Followers({ conversation }: { conversation: string }): ReactElement {
  const texts = useTexts(NOTIFICATIONS);
  const { user } = useSession();
  const may = useMay('conversations:update');
  const key = ['participants', conversation];
  const { data, error } = useQuery<Participants>({
    queryKey: key,
    queryFn: ({ signal }) => parley.conversations.listParticipants(conversation, { signal }),
  });
  const change = useMutation({
    mutationFn: (follows: boolean) =>
      follows
        ? parley.conversations.addParticipant(conversation, { user: user._id })
        : parley.conversations.removeParticipant(conversation, user._id),
    onSuccess: (participants) => queries.setQueryData(key, participants),
    onError: showError,
  });
  if (!data) return <NotLoaded error={error} />;
  const follows = data.participants.some((each) => each.user === user._id);
  return (
    <>
      <p dir="auto">{data.participants.map(({ name }) => name).join(', ') || texts.noFollowers}</p>
      {may && (
        <Button icon="bell" isBusy={change.isPending} onClick={() => change.mutate(!follows)}>
          {follows ? texts.unfollow : texts.follow}
        </Button>
      )}
    </>
  );
}

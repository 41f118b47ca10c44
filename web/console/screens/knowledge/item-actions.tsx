/** What can be done with an item of any kind: another try when it has failed, and its removal. */
import type { KnowledgeItem } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { parley } from '../../client.ts';
import { forgetItem, showItem } from '../../records/knowledge.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { RemoveButton } from '../../ui/remove-button.tsx';
import { showNotice } from '../../ui/toast.tsx';
import { useFault } from './item-state.tsx';
import styles from './knowledge.module.css';
import { KNOWLEDGE } from './texts.ts';

/** Says why an item could not be prepared, with a button that tries again. */
export function ItemFault({ item }: { item: KnowledgeItem }): ReactElement | null {
  const texts = useTexts(KNOWLEDGE);
  const mayRetry = useMay('knowledge:update');
  const fault = useFault(item);
  const retry = useMutation({ mutationFn: () => parley.knowledge.retry(item._id), onSuccess: showItem });
  if (item.status !== 'ERROR') return null;
  return (
    <div className={styles['fault']} role="alert">
      <p>{fault}</p>
      {mayRetry && (
        <Button icon="refresh" isBusy={retry.isPending} onClick={() => retry.mutate()}>
          {texts.retry}
        </Button>
      )}
      <FormProblem error={retry.error} fields={[]} />
    </div>
  );
}

export function RemoveItem({ item }: { item: KnowledgeItem }): ReactElement | null {
  const texts = useTexts(KNOWLEDGE);
  const mayRemove = useMay('knowledge:delete');
  const [, navigate] = useLocation();
  if (!mayRemove) return null;
  return (
    <RemoveButton
      remove={() => parley.knowledge.delete(item._id)}
      onRemoved={() => {
        navigate('/');
        forgetItem(item._id);
        showNotice(texts.removed(item.name));
      }}
    />
  );
}

/** The words that mean the same for the company, one group a line, as the search compares them. */
import type { Synonyms } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { showSynonyms, useSynonyms } from '../../records/knowledge.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextArea } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { Failure, Loading } from '../../ui/state.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { KNOWLEDGE, LANGUAGE_NAMES } from './texts.ts';

type Language = Synonyms['groups'][number]['language'];
const LANGUAGES: readonly Language[] = ['pt', 'en', 'es'];

export function SynonymsDialog({ onClose }: { onClose(): void }): ReactElement {
  const texts = useTexts(KNOWLEDGE);
  const { data, error } = useSynonyms();
  if (data) return <SynonymsForm synonyms={data} onClose={onClose} />;
  return (
    <Dialog title={texts.synonyms} onClose={onClose}>
      {error ? <Failure error={error} /> : <Loading />}
    </Dialog>
  );
}

function SynonymsForm({ synonyms, onClose }: { synonyms: Synonyms; onClose(): void }): ReactElement {
  const texts = useTexts(KNOWLEDGE);
  const common = useTexts(COMMON);
  const languages = useTexts(LANGUAGE_NAMES);
  const mayWrite = useMay('knowledge:update');
  const [lines, setLines] = useState(() => writeLines(synonyms));
  const saving = useMutation({
    mutationFn: () => parley.knowledge.updateSynonyms({ groups: LANGUAGES.flatMap((each) => readGroups(each, lines)) }),
    onSuccess: (saved) => {
      showSynonyms(saved);
      showNotice(common.saved);
      onClose();
    },
  });
  return (
    <Dialog
      title={texts.synonyms}
      onClose={onClose}
      width="wide"
      actions={
        mayWrite && (
          <Button kind="primary" isBusy={saving.isPending} onClick={() => saving.mutate()}>
            {common.save}
          </Button>
        )
      }
    >
      <p>{texts.synonymsHint}</p>
      <FormProblem error={saving.error} fields={[]} />
      {LANGUAGES.map((language) => (
        <TextArea
          key={language}
          label={languages[language]}
          rows={4}
          value={lines[language]}
          disabled={!mayWrite}
          onChange={(text) => setLines({ ...lines, [language]: text })}
        />
      ))}
    </Dialog>
  );
}

function writeLines({ groups }: Synonyms): Record<Language, string> {
  const write = (language: Language): string =>
    groups
      .filter((group) => group.language === language)
      .map(({ words }) => words.join(', '))
      .join('\n');
  return { pt: write('pt'), en: write('en'), es: write('es') };
}

const readGroups = (language: Language, lines: Record<Language, string>): Synonyms['groups'] =>
  lines[language]
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({
      language,
      words: line
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== ''),
    }));

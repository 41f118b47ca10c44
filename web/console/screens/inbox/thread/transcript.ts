/** Downloads the transcript of a conversation. */
import { useMutation } from '@tanstack/react-query';
import { parley } from '../../../client.ts';
import { getLanguage } from '../../../texts/language.ts';
import { defineTexts, useTexts } from '../../../texts/texts.ts';
import { saveFile } from '../../../ui/download.ts';
import type { MenuItem } from '../../../ui/menu.tsx';
import { showError } from '../../../ui/toast.tsx';

const TRANSCRIPT = defineTexts(
  {
    title: 'Download transcript',
    page: 'Web page',
    pageWithNotes: 'Web page with notes',
    text: 'Text file',
  },
  {
    'pt-BR': {
      title: 'Baixar a transcrição',
      page: 'Página da web',
      pageWithNotes: 'Página da web com notas',
      text: 'Arquivo de texto',
    },
    es: {
      title: 'Descargar la transcripción',
      page: 'Página web',
      pageWithNotes: 'Página web con notas',
      text: 'Archivo de texto',
    },
  },
);

export function useTranscripts(conversation: string): { title: string; items: MenuItem[] } {
  const texts = useTexts(TRANSCRIPT);
  const { mutate: save } = useMutation({
    mutationFn: async ({ format, notes }: { format: 'HTML' | 'TEXT'; notes: boolean }) => {
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
      const query = { format, notes, language: getLanguage(), time_zone: timeZone };
      const name = `transcript-${conversation}.${format === 'HTML' ? 'html' : 'txt'}`;
      await saveFile(await parley.conversations.getTranscript(conversation, query), name);
    },
    onError: showError,
  });
  return {
    title: texts.title,
    items: [
      { key: 'page', label: texts.page, icon: 'file', onSelect: () => save({ format: 'HTML', notes: false }) },
      { key: 'notes', label: texts.pageWithNotes, icon: 'note', onSelect: () => save({ format: 'HTML', notes: true }) },
      { key: 'text', label: texts.text, icon: 'download', onSelect: () => save({ format: 'TEXT', notes: false }) },
    ],
  };
}

import { defineTexts } from '../texts/texts.ts';

export const NOTICES = defineTexts(
  { title: 'New message' },
  { 'pt-BR': { title: 'Nova mensagem' }, es: { title: 'Mensaje nuevo' } },
);

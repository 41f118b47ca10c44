import { defineTexts } from '../../texts/texts.ts';

export const HOURS = defineTexts(
  {
    timeZone: 'Time zone',
    hint: 'Such as 09:00-18:00, or 09:00-12:00, 13:00-18:00. Leave closed days empty.',
  },
  {
    'pt-BR': {
      timeZone: 'Fuso horário',
      hint: 'Como 09:00-18:00, ou 09:00-12:00, 13:00-18:00; vazio nos dias sem atendimento.',
    },
    es: {
      timeZone: 'Zona horaria',
      hint: 'Como 09:00-18:00, o 09:00-12:00, 13:00-18:00; vacío los días sin atención.',
    },
  },
);

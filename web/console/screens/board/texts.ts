import { defineTexts } from '../../texts/texts.ts';

export const BOARD = defineTexts(
  {
    lead: 'Open conversations by stage.',
    howToMove: 'Drag a card to another stage, or press Shift with the left or right arrow.',
    pipeline: 'Pipeline',
    noPipeline: 'No pipelines yet',
    steps: 'Stages',
    moveTo: 'Move to stage',
    noStep: 'No stage',
    nothingHere: 'No conversations here',
    WON: 'Won',
    LOST: 'Lost',
  },
  {
    'pt-BR': {
      lead: 'Cada conversa aberta está na sua etapa.',
      howToMove: 'Arraste um cartão para outra etapa, ou pressione Shift com a seta para a esquerda ou a direita.',
      pipeline: 'Funil',
      noPipeline: 'Ainda não há funil',
      steps: 'Etapas',
      moveTo: 'Mover para a etapa',
      noStep: 'Sem etapa',
      nothingHere: 'Nenhuma conversa aqui',
      WON: 'Ganho',
      LOST: 'Perdido',
    },
    es: {
      lead: 'Cada conversación abierta está en su etapa.',
      howToMove: 'Arrastre una tarjeta a otra etapa, o pulse Mayús con la flecha izquierda o derecha.',
      pipeline: 'Embudo',
      noPipeline: 'Todavía no hay ningún embudo',
      steps: 'Etapas',
      moveTo: 'Mover a la etapa',
      noStep: 'Sin etapa',
      nothingHere: 'No hay conversaciones aquí',
      WON: 'Ganado',
      LOST: 'Perdido',
    },
  },
);

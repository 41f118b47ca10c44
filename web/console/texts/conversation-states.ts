/** The states of a conversation. */
import { defineTexts } from './texts.ts';

export const STATUS_NAMES = defineTexts(
  { OPEN: 'Open', PENDING: 'Pending', SNOOZED: 'Snoozed', CLOSED: 'Closed' },
  {
    'pt-BR': { OPEN: 'Aberta', PENDING: 'Pendente', SNOOZED: 'Adiada', CLOSED: 'Encerrada' },
    es: { OPEN: 'Abierta', PENDING: 'Pendiente', SNOOZED: 'Pospuesta', CLOSED: 'Cerrada' },
  },
);

/** The states and priorities of a conversation. */
import { defineTexts } from './texts.ts';

export const STATUS_NAMES = defineTexts(
  { OPEN: 'Open', PENDING: 'Pending', SNOOZED: 'Snoozed', CLOSED: 'Closed' },
  {
    'pt-BR': { OPEN: 'Aberta', PENDING: 'Pendente', SNOOZED: 'Adiada', CLOSED: 'Encerrada' },
    es: { OPEN: 'Abierta', PENDING: 'Pendiente', SNOOZED: 'Pospuesta', CLOSED: 'Cerrada' },
  },
);

/** The most urgent first. */
export const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW'] as const;

export const PRIORITY_NAMES = defineTexts(
  { URGENT: 'Urgent', HIGH: 'High', MEDIUM: 'Medium', LOW: 'Low' },
  {
    'pt-BR': { URGENT: 'Urgente', HIGH: 'Alta', MEDIUM: 'Média', LOW: 'Baixa' },
    es: { URGENT: 'Urgente', HIGH: 'Alta', MEDIUM: 'Media', LOW: 'Baja' },
  },
);

export const SLA_STATES = defineTexts(
  {
    BREACHED: 'SLA overdue',
    DUE_SOON: 'SLA due soon',
    dueIn: (time: string) => `Due in ${time}`,
    dueNow: 'Due now',
    overdue: 'Overdue',
    overdueBy: (time: string) => `Overdue by ${time}`,
  },
  {
    'pt-BR': {
      BREACHED: 'SLA vencido',
      DUE_SOON: 'SLA quase vencendo',
      dueIn: (time) => `Vence em ${time}`,
      dueNow: 'Vence agora',
      overdue: 'Vencida',
      overdueBy: (time) => `Vencida há ${time}`,
    },
    es: {
      BREACHED: 'SLA vencido',
      DUE_SOON: 'SLA por vencer',
      dueIn: (time) => `Vence en ${time}`,
      dueNow: 'Vence ahora',
      overdue: 'Vencido',
      overdueBy: (time) => `Vencido hace ${time}`,
    },
  },
);

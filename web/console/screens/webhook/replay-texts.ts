import { defineTexts } from '../../texts/texts.ts';

export const REPLAY = defineTexts(
  {
    title: 'Replay a period',
    lead: 'For a receiver that was unavailable: each delivery of the period is sent again, no faster than the receiver accepts them. Deliveries that were already sent again successfully are skipped.',
    from: 'From',
    to: 'Until',
    stop: 'Stop',
    another: 'Another period',
    progress: (processed: string, total: string) => `${processed} of ${total} deliveries`,
    goesOn: 'It continues if you close this.',
    COMPLETED: (replayed: string, total: string) => `Done: ${replayed} of ${total} deliveries sent again.`,
    CANCELLED: (replayed: string, total: string) => `Stopped: ${replayed} of ${total} deliveries sent again.`,
    FAILED: (replayed: string, total: string) =>
      `The webhook was stopped. ${replayed} of ${total} deliveries had been queued again.`,
  },
  {
    'pt-BR': {
      title: 'Reenviar várias',
      lead: 'Para um receptor que esteve fora: cada entrega do período é enviada mais uma vez, no ritmo em que o receptor as aceita. O que já foi reenviado com sucesso fica de fora.',
      from: 'De',
      to: 'Até',
      stop: 'Parar',
      another: 'Outro período',
      progress: (processed, total) => `${processed} de ${total} entregas`,
      goesOn: 'Continua quando você fecha isto.',
      COMPLETED: (replayed, total) => `Pronto: ${replayed} de ${total} entregas são reenviadas.`,
      CANCELLED: (replayed, total) => `Parado: ${replayed} de ${total} entregas são reenviadas.`,
      FAILED: (replayed, total) => `O webhook foi parado. ${replayed} de ${total} entregas tinham sido retomadas.`,
    },
    es: {
      title: 'Reenviar varias',
      lead: 'Para un receptor que estuvo ausente: cada entrega del período se envía una vez más, al ritmo en que el receptor las acepta. Lo que ya se reenvió con éxito queda fuera.',
      from: 'Desde',
      to: 'Hasta',
      stop: 'Detener',
      another: 'Otro período',
      progress: (processed, total) => `${processed} de ${total} entregas`,
      goesOn: 'Continúa cuando cierra esto.',
      COMPLETED: (replayed, total) => `Listo: ${replayed} de ${total} entregas se reenvían.`,
      CANCELLED: (replayed, total) => `Detenido: ${replayed} de ${total} entregas se reenvían.`,
      FAILED: (replayed, total) => `El webhook se detuvo. ${replayed} de ${total} entregas se habían retomado.`,
    },
  },
);

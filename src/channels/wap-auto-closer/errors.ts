/** The network's error codes: a sentence in Portuguese for each, and whether a send may be repeated at once after it. */
import type { NetworkError } from '../channel.ts';
import { label, quantity, record, text } from './values.ts';

/** no: never send again · now: the fault soon passes, so send again at once · pair: too many messages to one recipient, so wait first. */
export type Retry = 'no' | 'now' | 'pair';

interface Failure {
  text: string;
  retry: Retry;
}

/** The number of causes that are kept for one message. */
const MAX_CAUSES = 20;

const fails = (sentence: string, retry: Retry = 'no'): Failure => ({ text: sentence, retry });

const UNKNOWN = fails('A rede recusou a mensagem por um motivo que não informou em detalhe.');
const TOKEN = fails('A credencial de acesso à rede é inválida ou expirou.');
const PERMISSION = fails('A credencial não tem permissão para esta operação.');
const SERVICE = 'O serviço da rede está instável no momento.';
const CALL_RATE = fails('O limite de chamadas à rede foi atingido; tente novamente em alguns minutos.');
const PARAMETER = fails('A rede não aceitou um dos dados enviados.');

const failures = new Map<number, Failure>([
  [0, TOKEN],
  [190, TOKEN],
  [3, PERMISSION],
  [10, PERMISSION],
  [131005, PERMISSION],
  [1, fails(SERVICE, 'now')],
  [2, fails(SERVICE, 'now')],
  [131000, fails('A rede encontrou um erro desconhecido ao processar a mensagem.', 'now')],
  [131016, fails(SERVICE, 'now')],
  [133004, fails(SERVICE, 'now')],
  [131057, fails('O número está em manutenção na rede por alguns instantes.', 'now')],
  [4, CALL_RATE],
  [17, CALL_RATE],
  [80007, CALL_RATE],
  [613, fails('Esta função da rede foi chamada vezes demais; tente novamente em alguns minutos.')],
  [33, fails('O número ou a conta informada não existe na rede.')],
  [100, PARAMETER],
  [131008, fails('Falta um dado obrigatório na mensagem.')],
  [131009, PARAMETER],
  [368, fails('A conta está temporariamente restrita por violar as políticas da rede.')],
  [130497, fails('A conta não pode enviar mensagens para este país.')],
  [131031, fails('A conta está bloqueada pela rede.')],
  [130429, fails('O número enviou mensagens mais rápido do que a rede permite.', 'now')],
  [130472, fails('O destinatário faz parte de um experimento da rede e não recebe esta mensagem.')],
  [131021, fails('O remetente e o destinatário são o mesmo número.')],
  [131026, fails('A mensagem não pôde ser entregue: o número não está na rede ou não pode recebê-la.')],
  [131030, fails('O destinatário não está na lista de números autorizados para teste.')],
  [131037, fails('O nome de exibição do número ainda não foi aprovado pela rede.')],
  [131042, fails('Há um problema com a forma de pagamento da conta na rede.')],
  [131045, fails('O certificado do número é inválido; é preciso registrar o número novamente.')],
  [133010, fails('O número não está registrado na rede.')],
  [131047, fails('A janela de 24 horas expirou; use um modelo aprovado para retomar a conversa.')],
  [131048, fails('O envio foi limitado porque muitas mensagens deste número foram marcadas como spam.')],
  [131049, fails('A rede não entregou a mensagem para limitar o marketing recebido pelo destinatário.')],
  [131050, fails('O destinatário optou por não receber mensagens de marketing.')],
  [131051, fails('A rede não oferece suporte a este tipo de mensagem.')],
  [131052, fails('A rede não conseguiu baixar o arquivo da mensagem.')],
  [131053, fails('A rede não conseguiu processar o arquivo enviado.')],
  [131056, fails('Muitas mensagens para o mesmo destinatário em pouco tempo.', 'pair')],
  [131062, fails('Este destinatário só pode receber esta mensagem pelo número de telefone.')],
  [131063, fails('Os modelos de marketing estão desativados para esta conta.')],
  [131064, fails('O limite de envio para esta classe de modelo foi atingido.')],
  [132000, fails('A quantidade de variáveis não corresponde ao modelo.')],
  [132001, fails('O modelo não existe neste idioma ou ainda não foi aprovado.')],
  [132005, fails('O texto do modelo ficou longo demais depois de preenchido.')],
  [132007, fails('O conteúdo do modelo viola uma política da rede.')],
  [132008, fails('O valor de uma variável do modelo não é aceito.')],
  [132012, fails('O formato de uma variável não corresponde ao modelo.')],
  [132015, fails('O modelo está pausado por baixa qualidade.')],
  [132016, fails('O modelo foi desativado por baixa qualidade.')],
  [132068, fails('O fluxo do modelo está bloqueado.')],
  [132069, fails('O fluxo do modelo atingiu o limite de envios.')],
  [133016, fails('Muitas tentativas de registro do número; tente novamente mais tarde.')],
  [135000, fails('A rede não conseguiu enviar a mensagem por um erro genérico.')],
]);

function findFailure(code: number | string): Failure {
  const number = quantity(code);
  if (number === null) return UNKNOWN;
  // The network uses the codes 200 to 299 for missing permissions.
  if (number >= 200 && number <= 299) return PERMISSION;
  return failures.get(number) ?? UNKNOWN;
}

/** Returns the cause in Portuguese, for display only. */
export function failureText(code: number | string): string {
  return findFailure(code).text;
}

export function retryRule(code: number | string): Retry {
  return findFailure(code).retry;
}

/** True when the token is invalid or has expired, so that every send fails until a person replaces it. */
export const refusesCredentials = (code: number | string): boolean => findFailure(code) === TOKEN;

/** Reads one error object, which looks different in a notification and in an HTTP answer. */
export function networkError(error: unknown): NetworkError {
  const cause = record(error);
  const data = cause?.error_data;
  const details = record(data) ? text(record(data)?.details) : text(data);
  return {
    // A refusal without a code gets the platform's own code.
    code: toCode(cause?.code) ?? 'PROVIDER_REJECTED',
    title: text(cause?.error_user_title) ?? text(cause?.title) ?? titleIn(cause?.message) ?? '',
    message: text(cause?.message) ?? text(error) ?? '',
    details: details ?? text(cause?.details) ?? text(cause?.error_user_msg) ?? '',
  };
}

/** An HTTP answer has no title. Its message is `(#code) title`, with the title that a notification would have. */
const titleIn = (message: unknown): string | null => /^\(#\d+\)\s*(\S[\s\S]*)$/.exec(text(message) ?? '')?.[1] ?? null;

function toCode(value: unknown): number | string | null {
  const number = quantity(value);
  return number !== null && Number.isSafeInteger(number) ? number : label(value);
}

/** Reads the list `errors` of a message, a status or a notification. */
export function networkErrors(errors: unknown): NetworkError[] {
  if (!Array.isArray(errors)) return [];
  return errors
    .filter((error) => error !== null)
    .slice(0, MAX_CAUSES)
    .map(networkError);
}

/** The texts of the page, in the languages of its readers. */
const en = {
  title: 'Choose your password',
  lead: 'You will log in with it from now on.',
  password: 'New password',
  again: 'Repeat the password',
  rule: '8 to 128 characters. A few words that only you would combine work best.',
  show: 'Show what I type',
  save: 'Save password',
  saving: 'Saving…',
  tooShort: 'Use at least 8 characters.',
  tooLong: 'Use at most 128 characters.',
  different: 'The passwords do not match.',
  doneTitle: 'Your password is saved',
  done: 'Log in with it now. Sessions opened with an older password have ended.',
  logIn: 'Log in',
  usedTitle: 'This link no longer works',
  used: 'It has expired, was already used, or was replaced by a newer one. Nothing was changed.',
  emptyTitle: 'Open the link from your e-mail',
  empty: 'You can set a password only with such a link. The page forgets the link when you leave or reload it.',
  newLink: 'How to get a new link',
  newLinkReset: 'Forgotten password: ask for a new link where you log in. It works for 1 hour.',
  newLinkInvitation: 'Invitation: ask the person who invited you to send it again. It works for 72 hours.',
  tooMany: 'Too many attempts. Wait {seconds} seconds, then try again.',
  unreachable: 'The service did not respond. Check your connection and try again.',
  refused: 'The password was not saved: {reason}',
  joinTitle: 'Accept the invitation',
  joinLead:
    'If you are new here, you choose a password next. If you have one already, you keep it, and choose the company when you log in.',
  accept: 'Accept',
  accepting: 'Accepting…',
  choose: 'Choose a new password as well',
  joinedTitle: 'You have accepted the invitation',
  joined: 'Log in with your existing password.',
};

export type Texts = typeof en;

const ptBR: Texts = {
  title: 'Escolha sua senha',
  lead: 'A partir de agora, você entra com ela.',
  password: 'Nova senha',
  again: 'A mesma senha outra vez',
  rule: 'De 8 a 128 caracteres. O melhor são algumas palavras que só você juntaria.',
  show: 'Mostrar o que digito',
  save: 'Salvar senha',
  saving: 'Salvando…',
  tooShort: 'São necessários pelo menos 8 caracteres.',
  tooLong: 'São possíveis no máximo 128 caracteres.',
  different: 'As duas senhas são diferentes.',
  doneTitle: 'Sua senha foi salva',
  done: 'Agora entre com ela. Sessões abertas com uma senha anterior foram encerradas.',
  logIn: 'Entrar',
  usedTitle: 'Este link não funciona mais',
  used: 'Ele expirou, já foi usado ou foi substituído por um mais novo. Nada foi alterado.',
  emptyTitle: 'Abra o link do seu e-mail',
  empty: 'Esta página só define uma senha por meio desse link, e o esquece assim que é fechada ou recarregada.',
  newLink: 'Como obter um novo link',
  newLinkReset: 'Senha esquecida: peça um novo link onde você faz login. Ele vale por 1 hora.',
  newLinkInvitation: 'Convite: peça a quem convidou você que o envie de novo. Ele vale por 72 horas.',
  tooMany: 'Tentativas demais. Espere {seconds} segundos e tente de novo.',
  unreachable: 'O serviço não respondeu. Verifique sua conexão e tente de novo.',
  refused: 'A senha não foi salva: {reason}',
  joinTitle: 'Aceitar o convite',
  joinLead:
    'Se você é novo aqui, escolherá uma senha em seguida. Se já tem uma, ela continua a mesma, e você escolhe a empresa ao entrar.',
  accept: 'Aceitar',
  accepting: 'Aceitando…',
  choose: 'Escolher também uma nova senha',
  joinedTitle: 'Você aceitou o convite',
  joined: 'Entre com a senha que você já tem.',
};

const es: Texts = {
  title: 'Elija su contraseña',
  lead: 'A partir de ahora, entrará con ella.',
  password: 'Nueva contraseña',
  again: 'La misma contraseña otra vez',
  rule: 'De 8 a 128 caracteres. Lo mejor son unas palabras que solo usted juntaría.',
  show: 'Mostrar lo que escribo',
  save: 'Guardar contraseña',
  saving: 'Guardando…',
  tooShort: 'Se necesitan al menos 8 caracteres.',
  tooLong: 'Se permiten como máximo 128 caracteres.',
  different: 'Las dos contraseñas son diferentes.',
  doneTitle: 'Su contraseña está guardada',
  done: 'Ahora entre con ella. Las sesiones abiertas con una contraseña anterior se han cerrado.',
  logIn: 'Iniciar sesión',
  usedTitle: 'Este enlace ya no funciona',
  used: 'Ha caducado, ya se usó o fue reemplazado por uno más nuevo. No se ha cambiado nada.',
  emptyTitle: 'Abra el enlace de su correo',
  empty: 'Esta página solo define una contraseña mediante ese enlace, y lo olvida en cuanto se cierra o se recarga.',
  newLink: 'Cómo obtener un nuevo enlace',
  newLinkReset: 'Contraseña olvidada: pida un nuevo enlace donde inicia sesión. Vale por 1 hora.',
  newLinkInvitation: 'Invitación: pida a quien le invitó que la envíe de nuevo. Vale por 72 horas.',
  tooMany: 'Demasiados intentos. Espere {seconds} segundos e inténtelo de nuevo.',
  unreachable: 'El servicio no respondió. Compruebe su conexión e inténtelo de nuevo.',
  refused: 'La contraseña no se guardó: {reason}',
  joinTitle: 'Aceptar la invitación',
  joinLead:
    'Si es nuevo aquí, elegirá una contraseña a continuación. Si ya tiene una, sigue siendo la misma, y usted elige la empresa al entrar.',
  accept: 'Aceptar',
  accepting: 'Aceptando…',
  choose: 'Elegir también una nueva contraseña',
  joinedTitle: 'Ha aceptado la invitación',
  joined: 'Entre con la contraseña que ya tiene.',
};

const LANGUAGES = new Map([
  ['pt', { lang: 'pt-BR', texts: ptBR }],
  ['en', { lang: 'en', texts: en }],
  ['es', { lang: 'es', texts: es }],
]);

/** Returns the texts in the first of the reader's languages that the page has; English when it has none of them. */
export function chooseTexts(languages: readonly string[]): { lang: string; texts: Texts } {
  for (const language of languages) {
    const found = LANGUAGES.get(language.slice(0, 2).toLowerCase());
    if (found) return found;
  }
  return { lang: 'en', texts: en };
}

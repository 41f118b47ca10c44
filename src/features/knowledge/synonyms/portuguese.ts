/** Portuguese words of everyday business that mean nearly the same, one group a line. A phrase only stands in questions. */
export const PORTUGUESE = `
preço, valor, custo, custar, tarifa, taxa, mensalidade, reais, quanto custa, quanto é, quanto fica, quanto sai, quanto vale, quanto cobra, qto
pagar, pagamento, cobrar, cobrança, quitar, quitação, acertar
grátis, gratuito, cortesia, isento, sem custo, de graça
barato, desconto, promoção, oferta, abatimento, cupom, econômico
caro, alto
parcela, parcelar, dividir, prestação, vezes, juros, a prazo
dinheiro, grana, espécie, Pix, valor
cartão, crédito, débito
boleto, fatura, conta, cobrança, vencimento, segunda via
atraso, atrasar, vencido, pendente, inadimplente
multa, penalidade, fidelidade, juros
reembolso, reembolsar, devolver, devolução, estorno, restituir, ressarcir
cancelar, cancelamento, desistir, desistência, encerrar, rescindir, rescisão, sair, parar
trancar, pausar, congelar, suspender, interromper, pular
mudar, alterar, trocar, modificar, remarcar, transferir
adiar, remarcar, reagendar, antecedência, mudar o horário, outro dia
faltar, falta, ausência, perder, não vou poder, não consigo ir
agendar, marcar, reservar, reserva, agendamento, horário, encaixar, vaga
horário, abrir, fechar, funcionamento, funcionar, atender, que horas, até que horas, abre
manhã, cedo, madrugada
noite, tarde, noturno, madrugada
fim de semana, sábado, domingo, feriado
hoje, agora, imediato, já, urgente, urgência
emergência, urgência, plantão, socorro, grave
dor, doer, inchado, machucar, sofrer
medo, ansioso, nervoso, pânico, ansiedade, receio
criança, filho, filha, bebê, infantil, pequeno, menor, kids, adolescente, menino, menina
pai, mãe, responsável, família, familiar
idoso, avô, avó, velho, terceira idade
amigo, convidado, acompanhante, visitante, colega
mulher, feminino, esposa
casal, casamento, noivo, casar, casado, lua de mel, recém-casados
festa, aniversário, evento, comemorar, celebrar
presente, embrulhar, embalagem, presentear, aniversário
cachorro, cão, pet, animal, gato, gata, dog, bicho, mascote
casa, residência, apartamento, imóvel, moradia, lar, apê, ap
endereço, rua, localização, onde fica, como chegar, bairro, CEP
perto, próximo, vizinho
mudança, mudar, endereço, transferir, casa nova
quarto, suíte, acomodação, chalé, cômodo, hospedagem
alugar, aluguel, locação, locatário, inquilino
proprietário, dono, locador
comprar, compra, adquirir, pedido, encomenda
vender, venda, anunciar
entrega, entregar, enviar, envio, frete, despachar, receber, chegar
rastreio, rastrear, acompanhar, cadê, onde está, transportadora
pacote, encomenda, caixa, produto, pedido
retirar, buscar, pegar, coletar, retirada, pessoalmente
quebrar, quebrado, defeito, danificado, rachado, estragado, problema, avaria
consertar, conserto, arrumar, reparo, reparar, manutenção, oficina, resolver
garantia, garantir, cobertura, cobrir
vazamento, infiltração, goteira, encanamento, vazar, água
carro, automóvel, veículo, auto
bater, batida, amassado, risco, arranhão, acidente, funilaria, pintura
guincho, reboque, rebocar, socorro, pane
freio, frear, pastilha
pneu, roda, alinhamento, balanceamento
bateria, carga, carregar, ligar, dar partida
estrada, viagem, viajar, rodovia, passeio, férias
avião, voo, aeroporto, passagem
exterior, fora do país, estrangeiro, internacional, intercâmbio
devagar, lento, lentidão, lerdo, travar, velocidade
internet, wi-fi, rede, conexão, net, banda larga, fibra
sinal, alcance, cobertura, chegar
cair, queda, sem sinal, rompimento, fora do ar, desconectar
modem, roteador, aparelho, equipamento
telefone, celular, ligação, ligar, número
senha, acesso, login, entrar
cortar, bloquear, suspender, suspensão, desligar
voltar, religar, reativar, retornar, restabelecer
instalar, instalação, técnico, configurar, montar
dente, dentista, odontológico, bucal, boca, sorriso
branco, clarear, clareamento, amarelo, manchado
siso, extração, arrancar, extrair
limpeza, limpar, higienizar, tártaro, lavar
convênio, plano de saúde, operadora, seguro
médico, doutor, doutora, especialista, clínica
exame, avaliação, diagnóstico, teste, consulta, checar
comer, comida, alimento, refeição, jantar, almoço, cardápio, restaurante
café da manhã, desjejum, café
alergia, intolerância, glúten, celíaco, vegano, vegetariano, lactose
gelado, frio
quente, aquecido, morno
banho, chuveiro, vestiário, ducha
piscina, natação, nadar, água
treinar, treino, malhar, musculação, exercício, academia, aula
professor, instrutor, treinador, personal, mestre
experimentar, experimental, testar, conhecer, provar, visitante
emagrecer, dieta, gordura, peso, nutricionista
guardar, armário, deixar, mala, bagagem, cadeado
esquecer, esquecido, perdido, achado
estacionar, estacionamento, vaga, garagem, carro
cadeira de rodas, acessibilidade, rampa, elevador, deficiente
curso, aula, turma, módulo, estudar, aprender
nível, nivelamento, iniciante, avançado
certificado, diploma, comprovante, certificação
livro, material, apostila, caderno
prova, exame, simulado, teste
recuperar, reposição, repor
idioma, inglês, língua, espanhol
matrícula, inscrição, inscrever, matricular, cadastrar
documento, RG, CPF, papelada, comprovante, papel
fiador, caução, garantia, seguro-fiança, avalista
contrato, assinar, acordo, assinatura, fechar
reajuste, aumento, aumentar, corrigir, subir
visitar, visita, conhecer, ver o imóvel
chave, entrada, porta
financiar, financiamento, empréstimo, banco
empresa, CNPJ, corporativo, firma, negócio
nota fiscal, recibo, comprovante
roupa, lavanderia, lavar, passar
trabalhar, trabalho, escritório, emprego
tempo, prazo, demorar, duração, durar, demora, dias, quando
orçamento, estimativa, diagnóstico, avaliar
emprestar, emprestado, reserva, substituto
novo, trocar, troca, substituir
reclamação, reclamar, insatisfeito, queixa, ruim
atendente, atendimento, falar com alguém, suporte
roubo, furto, roubado, perdido
quantidade, máximo, limite, quantos
`;

/** Spanish words of everyday business that mean nearly the same, one group a line. A phrase only stands in questions. */
export const SPANISH = `
precio, coste, costar, valor, tarifa, cuota, importe, cuesta, cuánto cuesta, cuánto sale, cuánto vale, cuánto es, cuánto cobran, cuánto me saldría
pagar, pago, cobrar, abonar, cargo, abono
gratis, gratuito, regalar, sin coste, sin cobrar, incluido
barato, descuento, oferta, promoción, rebaja, ahorrar, bono
plazo, cuota, financiar, financiación, dividir, intereses, en varias veces, a plazos
dinero, efectivo, plata
tarjeta, crédito, débito
factura, recibo, ticket, cuenta
retraso, demora, tarde, atrasado, retrasar
multa, penalización, permanencia, recargo
reembolso, devolver, devolución, reintegro, recuperar
indemnizar, indemnización, reclamar, compensación, reclamación
anular, cancelar, cancelación, baja, desistir, dejar, irse, rescindir
pausar, suspender, congelar
cambiar, cambio, modificar, mover, sustituir
aplazar, mover, posponer, reprogramar, otro día, no llego, no puedo ir
avisar, aviso, antelación
cita, reserva, reservar, turno, hora, agendar, sitio, mesa
horario, abrir, cerrar, hora, abierto, qué hora, hasta qué hora, cuándo abren
mañana, temprano
noche, tarde, cena, cenar
fin de semana, sábado, domingo, festivo
verano, julio, agosto, vacaciones, campamento
urgente, urgencia, emergencia, guardia, ayuda, socorro
dolor, doler, duele, molestia
enfermo, enfermedad, fiebre, resfriado, gripe, síntoma, tos
miedo, nervioso, ansiedad, tranquilo, llorar
niño, niña, hijo, hija, bebé, pequeño, infantil, menor, nene, chico, crío
padre, madre, papá, mamá, familia, progenitor
hermano, hermana, gemelo
abuelo, abuela, mayor, anciano, tercera edad
oír, oído, audífono, sordo, audición, escuchar
ver, vista, visión, ojo, graduación, mirar
gafas, anteojos, lentes, montura, cristal, espejuelos
lentes de contacto, lentilla, lentillas
amigo, invitado, acompañante, visitante
mujer, señora, chica
hombre, señor, chico, caballero
boda, casar, novio, novia, matrimonio, luna de miel
fiesta, cumpleaños, celebrar, celebración, cumple, festejar, evento
regalo, regalar, obsequio
perro, perra, mascota, gato, animal, perrito
casa, piso, vivienda, departamento, apartamento, hogar, depto, inmueble, domicilio
dirección, ubicación, calle, dónde están, cómo llegar
habitación, cuarto, alojamiento
alquilar, alquiler, arrendar, arrendatario, inquilino, renta
propietario, dueño, casero, arrendador
fianza, depósito, garantía, señal, aval
comprar, compra, adquirir, comprador
vender, venta, vendedor
comisión, honorarios, porcentaje
entrega, entregar, enviar, envío, repartir, domicilio, reparto, mandar, a casa
pedido, encargo, paquete
recoger, recogida, retirar, buscar
listo, preparado, tardar, plazo, para cuándo, cuándo estará
romper, roto, rotura, avería, estropear, dañado, partir, fallar, fallo, defecto
reparar, arreglar, arreglo, reparación, ajuste, apañar
garantía, cubrir, cobertura, responder, cubierto
fuga, tubería, gotera, agua, caldera, calentador
coche, auto, carro, vehículo, automóvil
arañazo, rayar, golpe, abolladura, chapa, pintura, raya, accidente
grúa, remolque, tirado, autopista, carretera, remolcar
freno, frenar, pastilla
rueda, neumático, llanta
batería, arrancar, arranque, encender, alternador
sustitución, prestar, reemplazo
aceite, filtro, revisión
inspección, ITV, revisión
presupuesto, estimación, cuánto sería, cotización
viaje, viajar, vacaciones, vuelo, turismo, excursión, escapada
avión, vuelo, aerolínea, aeropuerto, billete, pasaje
maleta, equipaje, valija, mochila, bulto
pasaporte, visado, visa, documentación, papeles, documento, trámite
extranjero, roaming, fuera del país, internacional
seguro, póliza, mutua, aseguradora
hotel, alojamiento, hospedaje, estancia
internet, wifi, fibra, red, conexión, datos, rúter
lento, velocidad, despacio, megas
móvil, celular, teléfono, línea, aparato, terminal
número, portabilidad, conservar
robo, robar, pérdida, perder, hurto, denuncia
cortar, bloquear, suspender, sin servicio, impago
reactivar, volver, restablecer, recuperar
instalar, instalación, técnico, operario
compañía, operador, empresa, operadora
gasto, consumo, tope, límite
cobertura, señal, antena
comer, comida, plato, menú, carta, almuerzo, cocina, comedor
carne, pescado, vegetariano, vegano, verdura
alergia, intolerante, gluten, celíaco, lactosa, alérgeno, tolerar
bebida, vino, beber, botella
aparcar, aparcamiento, estacionar, parking, estacionamiento
terraza, fuera, exterior, aire libre
silla de ruedas, accesible, rampa, ascensor
guardería, jardín, escuela, cuidar, guarde, aula
cuidar, atender, acoger, acogida, vigilar
profesor, maestra, educadora, monitor
siesta, dormir, sueño
pañal, muda, ropa
autorizado, autorización, permiso, persona, familiar
adaptación, acostumbrarse
matrícula, inscripción, inscribir, plaza, apuntar
requisito, nómina, ingresos, qué piden, qué necesito
contrato, firmar, firma, acuerdo
subir, subida, aumentar, aumento, incremento, actualización
visitar, visita, enseñar, ver el piso
llave, entrada, puerta
hipoteca, banco, préstamo, crédito
tasación, valorar, valoración
empresa, negocio, autónomo
pelo, cabello, melena, corte, peluquería, cortar
tinte, color, canas, mechas, teñir, raíz
peinar, peinado, recogido, maquillaje
uña, manicura, esmalte
depilación, láser, vello
piel, cutis, cara, facial, rostro, grano, acné
masaje, espalda, relajar
embarazada, embarazo, prenatal
queja, reclamación, descontento, horrible, mal, feo, retoque, corregir
grupo, personas, comensales, gente
duración, durar, tiempo, cuánto dura, cuánto tarda
primera vez, principiante, nunca he, enseñar, prueba
trabajo, laboral, trabajar, empleo
examen, revisión, control, chequeo, prueba
poner, colocar, meter, quitar
resistente, irrompible, duro
`;

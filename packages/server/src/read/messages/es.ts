import { type Messages, pluralIn } from './en.ts'

const plural = pluralIn('es')

export const es: Messages = {
  unauthorized: () => 'No autorizado',
  tooManyRequests: ({ seconds }) =>
    `ThrottlerException: Too Many Requests. Demasiadas solicitudes: vuelva a intentarlo en ${seconds} ${plural(seconds, { one: 'segundo', other: 'segundos' })}.`,
  tooManyWholeAnswers: () =>
    'ThrottlerException: Too Many Requests. Ya hay dos respuestas sin limit en curso: vuelva a intentarlo más tarde o indique limit.',
  operationNotOpened: () => 'El alcance de esta clave de API no incluye esta operación.',
  subscriptionInactive: ({ state }) =>
    state === 'suspended'
      ? 'La suscripción de su organización está suspendida. Póngase en contacto con el administrador.'
      : 'La suscripción de su organización está inactiva y su acceso a las posiciones, suspendido. Póngase en contacto con el administrador.',
  invalidId: ({ parameter, value }) =>
    `${parameter} debe ser un número entero escrito con dígitos, no «${value}».`,
  fromTimeRequired: () =>
    'La hora de inicio es obligatoria: indique from_time como fecha (YYYY-MM-DD) o como fecha y hora ISO 8601.',
  toTimeRequired: () =>
    'La hora de fin es obligatoria: indique to_time como fecha (YYYY-MM-DD) o como fecha y hora ISO 8601.',
  timeRequired: () =>
    'time es obligatorio: indique una fecha (YYYY-MM-DD) o una fecha y hora ISO 8601.',
  invalidTime: ({ parameter, value }) =>
    `${parameter} debe ser una fecha existente (YYYY-MM-DD) o una fecha y hora ISO 8601, no «${value}».`,
  dateRequired: ({ parameter }) => `${parameter} es obligatorio: indique una fecha (YYYY-MM-DD).`,
  invalidDate: ({ parameter, value }) =>
    `${parameter} debe ser una fecha existente (YYYY-MM-DD), no «${value}».`,
  invalidTimeZone: ({ value }) =>
    `tz debe ser una zona horaria de IANA, como Europe/Madrid, no «${value}».`,
  objectRequired: () => 'object es obligatorio: indique el id de un objeto.',
  rangeReversed: ({ range }) => `from_${range} no debe ser posterior a to_${range}.`,
  repeatedParameter: ({ name }) => `${name} debe indicarse una sola vez.`,
  unknownParameter: ({ name, nearest }) =>
    `${name} no es un parámetro de esta operación. ¿Quiso decir ${nearest}?`,
  invalidLimit: ({ value }) =>
    `limit debe ser un número entero mayor o igual que 1 escrito con dígitos, no «${value}».`,
  limitAboveMaximum: ({ maximum }) => `limit debe ser como máximo ${maximum}.`,
  rangeAboveMaximum: ({ range, days }) =>
    `El intervalo entre from_${range} y to_${range} debe abarcar como máximo ${days} ${plural(days, { one: 'día', other: 'días' })}.`,
  rowsAboveMaximum: ({ maximum }) =>
    `El intervalo contiene más de ${maximum} ${plural(maximum, { one: 'fila', other: 'filas' })}, el máximo de una respuesta: indique un limit de ${maximum} como máximo o un intervalo más corto.`,
  rowsAboveSheet: ({ maximum }) =>
    `La respuesta tiene más de ${maximum} filas, el máximo de una hoja de cálculo: indique un limit o un intervalo más corto, o elija otro formato.`,
  positionsAboveMaximum: ({ maximum }) =>
    `El intervalo contiene más de ${maximum} posiciones, el máximo de una respuesta: indique un intervalo más corto.`,
  idsRequired: () => 'ids es obligatorio: indique los id de los objetos separados por comas.',
  invalidIds: ({ parameter, value }) =>
    `${parameter} debe contener números enteros escritos con dígitos y separados por comas, no «${value}».`,
  tooManyValues: ({ parameter, maximum }) =>
    `${parameter} debe tener como máximo ${maximum} valores.`,
  invalidBox: ({ value }) =>
    `bbox debe ser west,south,east,north en grados: longitudes de -180 a 180, latitudes de -90 a 90, south no mayor que north, no «${value}».`,
  invalidCursor: () =>
    'cursor no es válido aquí: siga el enlace next tal como se le dio o empiece de nuevo sin cursor.',
  invalidChoice: ({ parameter, value, choices }) =>
    `${parameter} debe ser uno de estos valores: ${choices.join(', ')}; no «${value}».`,
  outOfRange: ({ parameter, value, minimum, maximum }) =>
    `${parameter} debe ser un número entero de ${minimum} a ${maximum} escrito con dígitos, no «${value}».`,
  noTextAttribute: ({ value }) =>
    `by debe nombrar un atributo de tipo text; «${value}» no lo es aquí. GET /attributes los enumera.`,
  unknownAttribute: ({ value }) =>
    `attributes nombra «${value}», que aquí no es un atributo. GET /attributes los enumera.`,
  differsFromCursor: ({ parameter }) =>
    `${parameter} no corresponde a cursor: omítalo o empiece de nuevo sin cursor.`,
  cursorExpired: () => 'cursor es demasiado antiguo: empiece de nuevo sin cursor.',
  objectNotFound: () => 'Objeto no encontrado.',
  placeNotFound: () => 'Lugar no encontrado.',
  quotaExhausted: ({ ids }) =>
    `La cuota diaria de uso de la API está agotada para ${plural(ids.length, { one: 'el objeto', other: 'los objetos' })} ${ids.join(', ')}. Se renueva a las 00:00 UTC.`,
  pathNotFound: () => 'No hay nada en esta ruta.',
  methodNotAllowed: ({ allow }) => `Este método no está permitido aquí. Permitidos: ${allow}.`,
  unknownFormat: ({ value, formats }) =>
    `Aquí no existe el formato «${value}». Formatos disponibles: ${formats.join(', ')}.`,
  malformedRequest: () => 'La solicitud no es HTTP bien formado.',
  headersTooLarge: () => 'Las cabeceras de la solicitud son demasiado grandes.',
  requestTimeout: () => 'La solicitud no llegó a tiempo.',
  unavailable: () => 'El servicio no está disponible temporalmente. Vuelva a intentarlo más tarde.',
  recordsNotDerived: () => 'Sus registros se calculan por primera vez. Vuelva a intentarlo luego.',
  internal: () => 'Error interno del servidor.',
}

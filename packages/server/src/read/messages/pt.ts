import { type Messages, pluralIn } from './en.ts'

const plural = pluralIn('pt')

export const pt: Messages = {
  unauthorized: () => 'Não autorizado',
  tooManyRequests: ({ seconds }) =>
    `ThrottlerException: Too Many Requests. Excesso de requisições: tente novamente em ${seconds} ${plural(seconds, { one: 'segundo', other: 'segundos' })}.`,
  tooManyWholeAnswers: () =>
    'ThrottlerException: Too Many Requests. Já há duas respostas sem limit em curso: tente novamente mais tarde ou indique limit.',
  operationNotOpened: () => 'O âmbito desta chave de API não inclui esta operação.',
  subscriptionInactive: ({ state }) =>
    state === 'suspended'
      ? 'A assinatura da sua organização está suspensa. Entre em contato com o administrador.'
      : 'A assinatura da sua organização está inativa e o acesso às posições, suspenso. Entre em contato com o administrador.',
  invalidId: ({ parameter, value }) =>
    `${parameter} deve ser um número inteiro escrito em dígitos, e não “${value}”.`,
  fromTimeRequired: () =>
    'A hora de início é obrigatória: informe from_time como data (YYYY-MM-DD) ou como data e hora ISO 8601.',
  toTimeRequired: () =>
    'A hora de término é obrigatória: informe to_time como data (YYYY-MM-DD) ou como data e hora ISO 8601.',
  timeRequired: () =>
    'time é obrigatório: informe uma data (YYYY-MM-DD) ou uma data e hora ISO 8601.',
  invalidTime: ({ parameter, value }) =>
    `${parameter} deve ser uma data existente (YYYY-MM-DD) ou uma data e hora ISO 8601, e não “${value}”.`,
  dateRequired: ({ parameter }) => `${parameter} é obrigatório: informe uma data (YYYY-MM-DD).`,
  invalidDate: ({ parameter, value }) =>
    `${parameter} deve ser uma data existente (YYYY-MM-DD), e não “${value}”.`,
  invalidTimeZone: ({ value }) =>
    `tz deve ser um fuso horário da IANA, como Europe/Madrid, e não “${value}”.`,
  objectRequired: () => 'object é obrigatório: informe o id de um objeto.',
  rangeReversed: ({ range }) => `from_${range} não pode ser posterior a to_${range}.`,
  repeatedParameter: ({ name }) => `${name} deve ser informado uma única vez.`,
  unknownParameter: ({ name, nearest }) =>
    `${name} não é um parâmetro desta operação. Você quis dizer ${nearest}?`,
  invalidLimit: ({ value }) =>
    `limit deve ser um número inteiro maior ou igual a 1 escrito em dígitos, e não “${value}”.`,
  limitAboveMaximum: ({ maximum }) => `limit deve ser no máximo ${maximum}.`,
  rangeAboveMaximum: ({ range, days }) =>
    `O intervalo de from_${range} a to_${range} deve abranger no máximo ${days} ${plural(days, { one: 'dia', other: 'dias' })}.`,
  rowsAboveMaximum: ({ maximum }) =>
    `O intervalo contém mais de ${maximum} ${plural(maximum, { one: 'linha', other: 'linhas' })}, o máximo de uma resposta: informe um limit de no máximo ${maximum} ou um intervalo mais curto.`,
  rowsAboveSheet: ({ maximum }) =>
    `A resposta tem mais de ${maximum} linhas, o máximo de uma planilha: informe um limit ou um intervalo mais curto, ou escolha outro formato.`,
  positionsAboveMaximum: ({ maximum }) =>
    `O intervalo contém mais de ${maximum} posições, o máximo de uma resposta: informe um intervalo mais curto.`,
  idsRequired: () => 'ids é obrigatório: informe os ids dos objetos separados por vírgulas.',
  invalidIds: ({ parameter, value }) =>
    `${parameter} deve conter números inteiros escritos em dígitos e separados por vírgulas, e não “${value}”.`,
  tooManyValues: ({ parameter, maximum }) => `${parameter} deve ter no máximo ${maximum} valores.`,
  invalidBox: ({ value }) =>
    `bbox deve ser west,south,east,north em graus: longitudes de -180 a 180, latitudes de -90 a 90, south não maior que north, e não “${value}”.`,
  invalidCursor: () =>
    'cursor não é válido aqui: siga o link next exatamente como foi dado ou recomece sem cursor.',
  invalidChoice: ({ parameter, value, choices }) =>
    `${parameter} deve ser um destes valores: ${choices.join(', ')}; e não “${value}”.`,
  outOfRange: ({ parameter, value, minimum, maximum }) =>
    `${parameter} deve ser um número inteiro de ${minimum} a ${maximum} escrito em dígitos, e não “${value}”.`,
  noTextAttribute: ({ value }) =>
    `by deve nomear um atributo do tipo text; “${value}” não o é aqui. GET /attributes os lista.`,
  unknownAttribute: ({ value }) =>
    `attributes nomeia “${value}”, que não é um atributo aqui. GET /attributes os lista.`,
  differsFromCursor: ({ parameter }) =>
    `${parameter} não corresponde a cursor: omita-o ou recomece sem cursor.`,
  cursorExpired: () => 'cursor é antigo demais: recomece sem cursor.',
  objectNotFound: () => 'Objeto não encontrado.',
  placeNotFound: () => 'Local não encontrado.',
  quotaExhausted: ({ ids }) =>
    `A cota diária de uso da API está esgotada para ${plural(ids.length, { one: 'o objeto', other: 'os objetos' })} ${ids.join(', ')}. Ela é renovada às 00:00 UTC.`,
  pathNotFound: () => 'Não há nada neste caminho.',
  methodNotAllowed: ({ allow }) => `Este método não é permitido aqui. Permitidos: ${allow}.`,
  unknownFormat: ({ value, formats }) =>
    `O formato “${value}” não existe aqui. Formatos disponíveis: ${formats.join(', ')}.`,
  malformedRequest: () => 'A requisição não é HTTP bem formado.',
  headersTooLarge: () => 'Os cabeçalhos da requisição são grandes demais.',
  requestTimeout: () => 'A requisição não chegou a tempo.',
  unavailable: () => 'O serviço está temporariamente indisponível. Tente novamente mais tarde.',
  recordsNotDerived: () => 'Os seus registos são calculados pela primeira vez. Tente mais tarde.',
  internal: () => 'Erro interno do servidor.',
}

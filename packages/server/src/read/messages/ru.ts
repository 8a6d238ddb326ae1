import { type Messages, pluralIn } from './en.ts'

const plural = pluralIn('ru')

export const ru: Messages = {
  unauthorized: () => 'Доступ не авторизован',
  tooManyRequests: ({ seconds }) =>
    `ThrottlerException: Too Many Requests. Слишком много запросов: повторите через ${seconds} ${plural(seconds, { one: 'секунду', few: 'секунды', other: 'секунд' })}.`,
  tooManyWholeAnswers: () =>
    'ThrottlerException: Too Many Requests. Уже выполняются два ответа без limit: повторите попытку позже или укажите limit.',
  operationNotOpened: () => 'Область действия этого ключа API не включает эту операцию.',
  subscriptionInactive: ({ state }) =>
    state === 'suspended'
      ? 'Подписка вашей организации приостановлена. Обратитесь к администратору.'
      : 'Подписка вашей организации неактивна, доступ к позициям приостановлен. Обратитесь к администратору.',
  invalidId: ({ parameter, value }) =>
    `${parameter} должен быть целым числом, записанным цифрами, а не «${value}».`,
  fromTimeRequired: () =>
    'Не указано время начала: задайте from_time как дату (YYYY-MM-DD) или как дату и время по ISO 8601.',
  toTimeRequired: () =>
    'Не указано время окончания: задайте to_time как дату (YYYY-MM-DD) или как дату и время по ISO 8601.',
  timeRequired: () => 'Не указан time: задайте дату (YYYY-MM-DD) или дату и время по ISO 8601.',
  invalidTime: ({ parameter, value }) =>
    `${parameter} должен быть существующей датой (YYYY-MM-DD) или датой и временем по ISO 8601, а не «${value}».`,
  dateRequired: ({ parameter }) => `${parameter} не указан: задайте дату (YYYY-MM-DD).`,
  invalidDate: ({ parameter, value }) =>
    `${parameter} должен быть существующей датой (YYYY-MM-DD), а не «${value}».`,
  invalidTimeZone: ({ value }) =>
    `tz должен быть часовым поясом IANA, например Europe/Madrid, а не «${value}».`,
  objectRequired: () => 'Не указан параметр object: задайте id одного объекта.',
  rangeReversed: ({ range }) => `from_${range} не может быть позже to_${range}.`,
  repeatedParameter: ({ name }) => `${name} можно указать только один раз.`,
  unknownParameter: ({ name, nearest }) =>
    `У этой операции нет параметра ${name}. Возможно, вы имели в виду ${nearest}?`,
  invalidLimit: ({ value }) =>
    `limit должен быть целым числом не меньше 1, записанным цифрами, а не «${value}».`,
  limitAboveMaximum: ({ maximum }) => `limit не может быть больше ${maximum}.`,
  rangeAboveMaximum: ({ range, days }) =>
    `Период от from_${range} до to_${range} не может превышать ${days} ${plural(days, { one: 'день', few: 'дня', other: 'дней' })}.`,
  rowsAboveMaximum: ({ maximum }) =>
    `За этот период найдено больше ${maximum} ${plural(maximum, { one: 'строки', other: 'строк' })} — это максимум для одного ответа: укажите limit не больше ${maximum} или более короткий период.`,
  rowsAboveSheet: ({ maximum }) =>
    `В ответе больше ${maximum} строк — это максимум электронной таблицы: укажите limit или более короткий период либо выберите другой формат.`,
  positionsAboveMaximum: ({ maximum }) =>
    `За этот период найдено больше ${maximum} позиций — это максимум для одного ответа: укажите более короткий период.`,
  idsRequired: () => 'Не указан параметр ids: перечислите id объектов через запятую.',
  invalidIds: ({ parameter, value }) =>
    `${parameter} должен состоять из целых чисел, записанных цифрами и разделённых запятыми; «${value}» не подходит.`,
  tooManyValues: ({ parameter, maximum }) =>
    `В ${parameter} может быть не больше ${maximum} значений.`,
  invalidBox: ({ value }) =>
    `bbox должен быть west,south,east,north в градусах: долгота от -180 до 180, широта от -90 до 90, south не больше north, а не «${value}».`,
  invalidCursor: () =>
    'cursor здесь недействителен: перейдите по ссылке next без изменений или начните заново без cursor.',
  invalidChoice: ({ parameter, value, choices }) =>
    `${parameter} может быть только одним из значений: ${choices.join(', ')}; «${value}» не подходит.`,
  outOfRange: ({ parameter, value, minimum, maximum }) =>
    `${parameter} должен быть целым числом от ${minimum} до ${maximum}, записанным цифрами, а не «${value}».`,
  noTextAttribute: ({ value }) =>
    `by должен называть атрибут типа text, а «${value}» здесь не такой. Их перечисляет GET /attributes.`,
  unknownAttribute: ({ value }) =>
    `В attributes указано «${value}», такого атрибута здесь нет. Их перечисляет GET /attributes.`,
  differsFromCursor: ({ parameter }) =>
    `${parameter} не соответствует cursor: уберите этот параметр или начните заново без cursor.`,
  cursorExpired: () => 'cursor устарел: начните заново без cursor.',
  objectNotFound: () => 'Объект не найден.',
  placeNotFound: () => 'Место не найдено.',
  quotaExhausted: ({ ids }) =>
    `Дневная квота использования API исчерпана для ${plural(ids.length === 1 ? 1 : 2, { one: 'объекта', other: 'объектов' })} ${ids.join(', ')}. Она обновляется в 00:00 UTC.`,
  pathNotFound: () => 'По этому пути ничего нет.',
  methodNotAllowed: ({ allow }) => `Этот метод здесь не разрешён. Разрешены: ${allow}.`,
  unknownFormat: ({ value, formats }) =>
    `Формата «${value}» здесь нет. Доступные форматы: ${formats.join(', ')}.`,
  malformedRequest: () => 'Запрос не является корректным HTTP-запросом.',
  headersTooLarge: () => 'Заголовки запроса слишком велики.',
  requestTimeout: () => 'Запрос не был получен вовремя.',
  unavailable: () => 'Сервис временно недоступен. Повторите попытку позже.',
  recordsNotDerived: () => 'Ваши записи вычисляются впервые. Повторите попытку позже.',
  internal: () => 'Внутренняя ошибка сервера.',
}

import { type Messages, pluralIn } from './en.ts'

const plural = pluralIn('de')

export const de: Messages = {
  unauthorized: () => 'Nicht autorisiert',
  tooManyRequests: ({ seconds }) =>
    `ThrottlerException: Too Many Requests. Zu viele Anfragen: Bitte in ${seconds} ${plural(seconds, { one: 'Sekunde', other: 'Sekunden' })} erneut versuchen.`,
  tooManyWholeAnswers: () =>
    'ThrottlerException: Too Many Requests. Es laufen bereits zwei Antworten ohne limit: Bitte später erneut versuchen oder limit angeben.',
  operationNotOpened: () => 'Der Umfang dieses API-Schlüssels schließt diesen Vorgang nicht ein.',
  subscriptionInactive: ({ state }) =>
    state === 'suspended'
      ? 'Das Abonnement Ihrer Organisation ist gesperrt. Bitte wenden Sie sich an den Administrator.'
      : 'Das Abonnement Ihrer Organisation ist inaktiv und ihr Zugriff auf Positionen gesperrt. Bitte wenden Sie sich an den Administrator.',
  invalidId: ({ parameter, value }) =>
    `${parameter} muss eine ganze Zahl aus Ziffern sein, nicht „${value}“.`,
  fromTimeRequired: () =>
    'Die Startzeit fehlt: from_time muss als Datum (YYYY-MM-DD) oder als Zeitpunkt nach ISO 8601 angegeben werden.',
  toTimeRequired: () =>
    'Die Endzeit fehlt: to_time muss als Datum (YYYY-MM-DD) oder als Zeitpunkt nach ISO 8601 angegeben werden.',
  timeRequired: () =>
    'time fehlt: Bitte ein Datum (YYYY-MM-DD) oder einen Zeitpunkt nach ISO 8601 angeben.',
  invalidTime: ({ parameter, value }) =>
    `${parameter} muss ein existierendes Datum (YYYY-MM-DD) oder ein Zeitpunkt nach ISO 8601 sein, nicht „${value}“.`,
  dateRequired: ({ parameter }) => `${parameter} fehlt: Bitte ein Datum (YYYY-MM-DD) angeben.`,
  invalidDate: ({ parameter, value }) =>
    `${parameter} muss ein existierendes Datum (YYYY-MM-DD) sein, nicht „${value}“.`,
  invalidTimeZone: ({ value }) =>
    `tz muss eine IANA-Zeitzone wie Europe/Madrid sein, nicht „${value}“.`,
  objectRequired: () => 'object fehlt: Bitte die ID eines Objekts angeben.',
  rangeReversed: ({ range }) => `from_${range} darf nicht nach to_${range} liegen.`,
  repeatedParameter: ({ name }) => `${name} darf nur einmal angegeben werden.`,
  unknownParameter: ({ name, nearest }) =>
    `${name} ist kein Parameter dieser Operation. Meinten Sie ${nearest}?`,
  invalidLimit: ({ value }) =>
    `limit muss eine ganze Zahl aus Ziffern und mindestens 1 sein, nicht „${value}“.`,
  limitAboveMaximum: ({ maximum }) => `limit darf höchstens ${maximum} sein.`,
  rangeAboveMaximum: ({ range, days }) =>
    `Der Zeitraum von from_${range} bis to_${range} darf höchstens ${days} ${plural(days, { one: 'Tag', other: 'Tage' })} umfassen.`,
  rowsAboveMaximum: ({ maximum }) =>
    `Der Zeitraum enthält mehr als ${maximum} ${plural(maximum, { one: 'Zeile', other: 'Zeilen' })}, das Höchstmaß einer Antwort: Bitte limit mit höchstens ${maximum} angeben oder den Zeitraum verkürzen.`,
  rowsAboveSheet: ({ maximum }) =>
    `Die Antwort hat mehr als ${maximum} Zeilen, das Höchstmaß einer Tabellenkalkulation: Bitte limit angeben, den Zeitraum verkürzen oder ein anderes Format wählen.`,
  positionsAboveMaximum: ({ maximum }) =>
    `Der Zeitraum enthält mehr als ${maximum} Positionen, das Höchstmaß einer Antwort: Bitte den Zeitraum verkürzen.`,
  idsRequired: () => 'ids fehlt: Bitte Objekt-IDs durch Kommas getrennt angeben.',
  invalidIds: ({ parameter, value }) =>
    `${parameter} müssen ganze Zahlen aus Ziffern sein, durch Kommas getrennt, nicht „${value}“.`,
  tooManyValues: ({ parameter, maximum }) => `${parameter} darf höchstens ${maximum} Werte haben.`,
  invalidBox: ({ value }) =>
    `bbox muss west,south,east,north in Grad sein: Längen von -180 bis 180, Breiten von -90 bis 90, south nicht größer als north, nicht „${value}“.`,
  invalidCursor: () =>
    'cursor ist hier ungültig: Bitte dem Link next unverändert folgen oder ohne cursor neu beginnen.',
  invalidChoice: ({ parameter, value, choices }) =>
    `${parameter} muss einer dieser Werte sein: ${choices.join(', ')}; nicht „${value}“.`,
  outOfRange: ({ parameter, value, minimum, maximum }) =>
    `${parameter} muss eine ganze Zahl aus Ziffern von ${minimum} bis ${maximum} sein, nicht „${value}“.`,
  noTextAttribute: ({ value }) =>
    `by muss ein Attribut vom Typ text nennen; „${value}“ ist hier keines. GET /attributes listet sie auf.`,
  unknownAttribute: ({ value }) =>
    `attributes nennt „${value}“, das hier kein Attribut ist. GET /attributes listet sie auf.`,
  differsFromCursor: ({ parameter }) =>
    `${parameter} passt nicht zu cursor: Bitte weglassen oder ohne cursor neu beginnen.`,
  cursorExpired: () => 'cursor ist zu alt: Bitte ohne cursor neu beginnen.',
  objectNotFound: () => 'Objekt nicht gefunden.',
  placeNotFound: () => 'Ort nicht gefunden.',
  quotaExhausted: ({ ids }) =>
    `Das tägliche API-Kontingent ist für ${plural(ids.length, { one: 'das Objekt', other: 'die Objekte' })} ${ids.join(', ')} aufgebraucht. Es wird um 00:00 UTC erneuert.`,
  pathNotFound: () => 'Unter diesem Pfad gibt es nichts.',
  methodNotAllowed: ({ allow }) => `Diese Methode ist hier nicht erlaubt. Erlaubt: ${allow}.`,
  unknownFormat: ({ value, formats }) =>
    `Das Format „${value}“ gibt es hier nicht. Verfügbare Formate: ${formats.join(', ')}.`,
  malformedRequest: () => 'Die Anfrage ist kein wohlgeformtes HTTP.',
  headersTooLarge: () => 'Die Header der Anfrage sind zu groß.',
  requestTimeout: () => 'Die Anfrage ist nicht rechtzeitig eingetroffen.',
  unavailable: () => 'Der Dienst ist vorübergehend nicht verfügbar. Bitte später erneut versuchen.',
  recordsNotDerived: () => 'Die Fahrten werden erstmals berechnet. Bitte später erneut versuchen.',
  internal: () => 'Interner Serverfehler.',
}

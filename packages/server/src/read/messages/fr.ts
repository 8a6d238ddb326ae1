import { type Messages, pluralIn } from './en.ts'

const plural = pluralIn('fr')

export const fr: Messages = {
  unauthorized: () => 'Non autorisé',
  tooManyRequests: ({ seconds }) =>
    `ThrottlerException: Too Many Requests. Trop de requêtes : réessayez dans ${seconds} ${plural(seconds, { one: 'seconde', other: 'secondes' })}.`,
  tooManyWholeAnswers: () =>
    'ThrottlerException: Too Many Requests. Deux réponses sans limit sont déjà en cours : réessayez plus tard ou indiquez limit.',
  operationNotOpened: () => 'La portée de cette clé d’API n’inclut pas cette opération.',
  subscriptionInactive: ({ state }) =>
    state === 'suspended'
      ? 'L’abonnement de votre organisation est suspendu. Veuillez contacter l’administrateur.'
      : 'L’abonnement de votre organisation est inactif et son accès aux positions suspendu. Veuillez contacter l’administrateur.',
  invalidId: ({ parameter, value }) =>
    `${parameter} doit être un nombre entier écrit en chiffres, et non « ${value} ».`,
  fromTimeRequired: () =>
    'L’heure de début est obligatoire : indiquez from_time sous forme de date (YYYY-MM-DD) ou de date et heure ISO 8601.',
  toTimeRequired: () =>
    'L’heure de fin est obligatoire : indiquez to_time sous forme de date (YYYY-MM-DD) ou de date et heure ISO 8601.',
  timeRequired: () =>
    'time est obligatoire : indiquez une date (YYYY-MM-DD) ou une date et heure ISO 8601.',
  invalidTime: ({ parameter, value }) =>
    `${parameter} doit être une date existante (YYYY-MM-DD) ou une date et heure ISO 8601, et non « ${value} ».`,
  dateRequired: ({ parameter }) => `${parameter} est obligatoire : indiquez une date (YYYY-MM-DD).`,
  invalidDate: ({ parameter, value }) =>
    `${parameter} doit être une date existante (YYYY-MM-DD), et non « ${value} ».`,
  invalidTimeZone: ({ value }) =>
    `tz doit être un fuseau horaire IANA tel que Europe/Madrid, et non « ${value} ».`,
  objectRequired: () => 'object est obligatoire : indiquez l’id d’un objet.',
  rangeReversed: ({ range }) => `from_${range} ne doit pas être postérieur à to_${range}.`,
  repeatedParameter: ({ name }) => `${name} ne doit être indiqué qu’une seule fois.`,
  unknownParameter: ({ name, nearest }) =>
    `${name} n’est pas un paramètre de cette opération. Vouliez-vous dire ${nearest} ?`,
  invalidLimit: ({ value }) =>
    `limit doit être un nombre entier supérieur ou égal à 1 écrit en chiffres, et non « ${value} ».`,
  limitAboveMaximum: ({ maximum }) => `limit doit être au plus égal à ${maximum}.`,
  rangeAboveMaximum: ({ range, days }) =>
    `L’intervalle de from_${range} à to_${range} doit couvrir au plus ${days} ${plural(days, { one: 'jour', other: 'jours' })}.`,
  rowsAboveMaximum: ({ maximum }) =>
    `L’intervalle contient plus de ${maximum} ${plural(maximum, { one: 'ligne', other: 'lignes' })}, le maximum d’une réponse : indiquez un limit d’au plus ${maximum} ou un intervalle plus court.`,
  rowsAboveSheet: ({ maximum }) =>
    `La réponse a plus de ${maximum} lignes, le maximum d’une feuille de calcul : indiquez un limit ou un intervalle plus court, ou choisissez un autre format.`,
  positionsAboveMaximum: ({ maximum }) =>
    `L’intervalle contient plus de ${maximum} positions, le maximum d’une réponse : indiquez un intervalle plus court.`,
  idsRequired: () => 'ids est obligatoire : indiquez les id des objets séparés par des virgules.',
  invalidIds: ({ parameter, value }) =>
    `${parameter} doit contenir des nombres entiers écrits en chiffres et séparés par des virgules, et non « ${value} ».`,
  tooManyValues: ({ parameter, maximum }) => `${parameter} doit avoir au plus ${maximum} valeurs.`,
  invalidBox: ({ value }) =>
    `bbox doit être west,south,east,north en degrés : longitudes de -180 à 180, latitudes de -90 à 90, south inférieur ou égal à north, et non « ${value} ».`,
  invalidCursor: () =>
    'cursor n’est pas valable ici : suivez le lien next tel qu’il a été donné, ou recommencez sans cursor.',
  invalidChoice: ({ parameter, value, choices }) =>
    `${parameter} doit être l’une de ces valeurs : ${choices.join(', ')}, et non « ${value} ».`,
  outOfRange: ({ parameter, value, minimum, maximum }) =>
    `${parameter} doit être un nombre entier de ${minimum} à ${maximum} écrit en chiffres, et non « ${value} ».`,
  noTextAttribute: ({ value }) =>
    `by doit nommer un attribut de type text ; « ${value} » n’en est pas un ici. GET /attributes en donne la liste.`,
  unknownAttribute: ({ value }) =>
    `attributes nomme « ${value} », qui n’est pas un attribut ici. GET /attributes en donne la liste.`,
  differsFromCursor: ({ parameter }) =>
    `${parameter} ne correspond pas à cursor : omettez-le, ou recommencez sans cursor.`,
  cursorExpired: () => 'cursor est trop ancien : recommencez sans cursor.',
  objectNotFound: () => 'Objet introuvable.',
  placeNotFound: () => 'Lieu introuvable.',
  quotaExhausted: ({ ids }) =>
    `Le quota quotidien d’utilisation de l’API est épuisé pour ${plural(ids.length, { one: 'l’objet', other: 'les objets' })} ${ids.join(', ')}. Il est renouvelé à 00:00 UTC.`,
  pathNotFound: () => 'Il n’y a rien à ce chemin.',
  methodNotAllowed: ({ allow }) =>
    `Cette méthode n’est pas autorisée ici. Méthodes autorisées : ${allow}.`,
  unknownFormat: ({ value, formats }) =>
    `Le format « ${value} » n’existe pas ici. Formats disponibles : ${formats.join(', ')}.`,
  malformedRequest: () => 'La requête n’est pas du HTTP bien formé.',
  headersTooLarge: () => 'Les en-têtes de la requête sont trop volumineux.',
  requestTimeout: () => 'La requête n’est pas arrivée à temps.',
  unavailable: () => 'Le service est momentanément indisponible. Veuillez réessayer plus tard.',
  recordsNotDerived: () => 'Vos données sont calculées pour la première fois. Réessayez plus tard.',
  internal: () => 'Erreur interne du serveur.',
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LANGUAGES } from '../../domain/organization.ts'
import * as refusals from '../refusal.ts'
import { messageOf } from './messages.ts'

const THROTTLED = 'ThrottlerException: Too Many Requests'

test('English messages match the specification', () => {
  const english = (refusal: refusals.Refusal) => messageOf(refusal, 'en')
  assert.equal(english(refusals.unauthorized.invalid), 'Unauthorized')
  assert.equal(english(refusals.objectNotFound), 'Object not found.')
  assert.match(english(refusals.fromTimeRequired), /From Time is required/)
  assert.match(english(refusals.toTimeRequired), /To Time is required/)
  assert.match(
    english(refusals.subscriptionInactive('suspended')),
    /is suspended.*contact the admin/,
  )
  assert.match(english(refusals.subscriptionInactive('inactive')), /is inactive.*contact the admin/)
})

test('every message exists in every language, and none is left in English', () => {
  const every: refusals.Refusal[] = [
    ...Object.values(refusals.unauthorized),
    refusals.tooManyRequests(3),
    refusals.subscriptionInactive('inactive'),
    refusals.subscriptionInactive('suspended'),
    refusals.invalidId('x1'),
    refusals.operationNotOpened,
    refusals.fromTimeRequired,
    refusals.toTimeRequired,
    refusals.timeRequired,
    refusals.invalidTime('to_time', 'x1'),
    refusals.invalidBox('x1'),
    refusals.rangeReversed,
    refusals.datesReversed,
    refusals.fromDateRequired,
    refusals.invalidDate('to_date', 'x1'),
    refusals.invalidTimeZone('x1'),
    refusals.objectRequired,
    refusals.invalidId('x1', 'object'),
    refusals.rangeAboveMaximum(7, 'date'),
    refusals.repeatedParameter('limit'),
    refusals.invalidLimit('x1'),
    refusals.limitAboveMaximum(7),
    refusals.rangeAboveMaximum(7),
    refusals.rowsAboveMaximum(7),
    refusals.positionsAboveMaximum(7),
    refusals.idsRequired,
    refusals.invalidIds('x1'),
    refusals.tooManyIds(7),
    refusals.invalidIds('x1', 'sites'),
    refusals.tooManyIds(7, 'geofences'),
    refusals.invalidCursor,
    refusals.objectNotFound,
    refusals.placeNotFound,
    refusals.quotaExhausted([7, 8]),
    refusals.pathNotFound,
    refusals.methodNotAllowed('GET, HEAD'),
    refusals.unknownFormat('x1', ['json', 'csv']),
    refusals.malformedRequest,
    refusals.headersTooLarge,
    refusals.requestTimeout,
    refusals.unavailable(1),
    refusals.internal,
  ]
  for (const refusal of every) {
    const texts = LANGUAGES.map((language) => messageOf(refusal, language))
    assert.equal(new Set(texts).size, LANGUAGES.length, `${refusal.message.key} repeats a text`)
    for (const text of texts) assert.doesNotMatch(text, /undefined|\[object|^\s*$/)
  }
})

test('a signed number is not called "not an integer": the rule is digits only', () => {
  const digits = {
    ...{ en: 'digits', tr: 'rakam', de: 'Ziffern', es: 'dígitos', fr: 'chiffres' },
    ...{ pt: 'dígitos', ru: 'цифрами', ar: 'بالأرقام' },
  }
  const { invalidId, invalidIds, invalidLimit } = refusals
  for (const language of LANGUAGES) {
    for (const refusal of [invalidId('-1'), invalidIds('-1'), invalidLimit('-1')]) {
      const text = messageOf(refusal, language)
      assert.ok(text.includes(digits[language]), text)
    }
  }
})

test('the 429 text starts with the specified words in every language', () => {
  for (const language of LANGUAGES) {
    assert.ok(messageOf(refusals.tooManyRequests(2), language).startsWith(THROTTLED), language)
  }
})

test('a message names the field and the rule in every language', () => {
  for (const language of LANGUAGES) {
    const says = (refusal: refusals.Refusal, ...words: string[]) => {
      const text = messageOf(refusal, language)
      for (const word of words) assert.ok(text.includes(word), `${language}: ${text}`)
    }
    says(refusals.invalidId('12abc'), 'id', '12abc')
    says(refusals.fromTimeRequired, 'from_time', 'ISO 8601')
    says(refusals.toTimeRequired, 'to_time', 'ISO 8601')
    says(refusals.invalidTime('to_time', '2023-02-30'), 'to_time', '2023-02-30', 'ISO 8601')
    says(refusals.timeRequired, 'time', 'ISO 8601')
    says(refusals.invalidBox('7,8'), 'bbox', 'west,south,east,north', '7,8')
    says(refusals.rangeReversed, 'from_time', 'to_time')
    says(refusals.datesReversed, 'from_date', 'to_date')
    says(refusals.fromDateRequired, 'from_date', 'YYYY-MM-DD')
    says(refusals.toDateRequired, 'to_date', 'YYYY-MM-DD')
    says(refusals.invalidDate('to_date', '2023-02-30'), 'to_date', '2023-02-30', 'YYYY-MM-DD')
    says(refusals.invalidTimeZone('Mars'), 'tz', 'Europe/Madrid', 'Mars')
    says(refusals.objectRequired, 'object')
    says(refusals.invalidId('12abc', 'object'), 'object', '12abc')
    says(refusals.rangeAboveMaximum(31, 'date'), 'from_date', 'to_date', '31')
    says(refusals.repeatedParameter('limit'), 'limit')
    says(refusals.invalidLimit('0x10'), 'limit', '1', '0x10')
    says(refusals.limitAboveMaximum(5000), 'limit', '5000')
    says(refusals.rangeAboveMaximum(31), 'from_time', 'to_time', '31')
    says(refusals.rowsAboveMaximum(5000), 'limit', '5000')
    says(refusals.positionsAboveMaximum(5000), '5000')
    says(refusals.idsRequired, 'ids')
    says(refusals.invalidIds('a'), 'ids', 'a')
    says(refusals.tooManyIds(1000), 'ids', '1000')
    says(refusals.invalidCursor, 'cursor')
    says(refusals.quotaExhausted([12, 40]), '12, 40', '00:00 UTC')
    says(refusals.methodNotAllowed('GET, HEAD'), 'GET, HEAD')
  }
})

test('a number has the form of its language', () => {
  const seconds = (count: number, language: 'en' | 'de' | 'ru' | 'ar') =>
    messageOf(refusals.tooManyRequests(count), language)
  assert.match(seconds(1, 'en'), /1 second\./)
  assert.match(seconds(2, 'en'), /2 seconds\./)
  assert.match(seconds(1, 'de'), /1 Sekunde /)
  assert.match(seconds(1, 'ru'), /1 секунду\./)
  assert.match(seconds(3, 'ru'), /3 секунды\./)
  assert.match(seconds(10, 'ru'), /10 секунд\./)
  assert.match(seconds(2, 'ar'), /ثانيتين\./)
  assert.match(seconds(3, 'ar'), /3 ثوانٍ\./)
  assert.match(seconds(10, 'ar'), /10 ثوانٍ\./)
  assert.match(messageOf(refusals.quotaExhausted([5]), 'ru'), /объекта 5\./)
  assert.match(messageOf(refusals.quotaExhausted([5, 6]), 'ru'), /объектов 5, 6\./)
})

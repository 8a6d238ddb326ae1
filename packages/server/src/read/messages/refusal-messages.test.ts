import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVERY_REFUSAL } from '../../../testing/every-refusal.ts'
import { LANGUAGES } from '../../base/domain/organization.ts'
import * as refusals from '../refusal.ts'
import { messageOf } from './refusal-messages.ts'

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

test('every message exists in every language, names the field and the rule, and is not left in English', () => {
  for (const [refusal, , words = []] of EVERY_REFUSAL) {
    const texts = LANGUAGES.map((language) => messageOf(refusal, language))
    assert.equal(new Set(texts).size, LANGUAGES.length, `${refusal.message.key} repeats a text`)
    for (const text of texts) {
      assert.doesNotMatch(text, /undefined|\[object|^\s*$/)
      for (const word of words) assert.ok(text.includes(word), `${word}: ${text}`)
    }
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

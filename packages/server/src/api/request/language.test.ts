import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertLinear } from '../../../testing/linear.ts'
import { LANGUAGES, type Language } from '../../domain/organization.ts'
import { bestLanguage } from './language.ts'

const language = fc.constantFrom(...LANGUAGES)

test('without a header or a match, the fallback applies', () => {
  assert.equal(bestLanguage(undefined, 'tr'), 'tr')
  assert.equal(bestLanguage('', 'tr'), 'tr')
  assert.equal(bestLanguage('ja, zh-Hant-TW;q=0.8', 'tr'), 'tr')
})

test('lookup goes from specific to general', () => {
  assert.equal(bestLanguage('pt-BR', 'en'), 'pt')
  assert.equal(bestLanguage('DE-de-1996', 'en'), 'de')
  assert.equal(bestLanguage('ar-*', 'en'), 'ar')
  assert.equal(bestLanguage('ja, es-419;q=0.9, en;q=0.8', 'tr'), 'es')
})

test('the first hundred ranges count, whatever a client sends', () => {
  assert.equal(bestLanguage(`${'ja,'.repeat(99)}de`, 'tr'), 'de')
  assert.equal(bestLanguage(`${'ja,'.repeat(100)}de`, 'tr'), 'tr')
  assert.equal(bestLanguage('de;q=NaN, fr;q=-1, es;q=2, en;q=0.5;q=1, ru;q=0.1', 'tr'), 'ru')
})

test('weights come before order, and order decides between equal weights', () => {
  assert.equal(bestLanguage('en;q=0.5, ru;q=0.9, fr;q=0.9', 'tr'), 'ru')
  assert.equal(bestLanguage('en;q=0.001, fr;q=0', 'tr'), 'en')
  assert.equal(bestLanguage('pt-BR;q=0.9, pt;q=0.1, en;q=0.5', 'tr'), 'pt')
})

test('q=0 excludes', () => {
  assert.equal(bestLanguage('fr;q=0', 'tr'), 'tr')
  assert.equal(bestLanguage('fr;q=0.0, *', 'fr'), 'en')
  assert.equal(bestLanguage('*;q=0', 'tr'), 'tr')
})

test('* is any language that is not named, the fallback first', () => {
  assert.equal(bestLanguage('*', 'tr'), 'tr')
  assert.equal(bestLanguage('de;q=0.5, *', 'de'), 'en')
  assert.equal(bestLanguage('ja, *;q=0.5', 'es'), 'es')
})

test('malformed parts are ignored', () => {
  assert.equal(bestLanguage('de;q=2, fr;q=x, ;;, ru;q=0.1', 'en'), 'ru')
  assert.equal(bestLanguage('constructor, __proto__, de_DE', 'en'), 'en')
})

test('any header results in a supported language', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), language, (header, fallback) => {
      assert.ok(LANGUAGES.includes(bestLanguage(header, fallback)))
    }),
  )
})

test('the language with the largest weight is chosen, and of equals the first', () => {
  const weighted = fc.record({ of: language, weight: fc.integer({ min: 1, max: 1000 }) })
  const list = fc.uniqueArray(weighted, { selector: ({ of }) => of, minLength: 1 })
  fc.assert(
    fc.property(list, language, (ranges, fallback) => {
      const header = ranges.map(({ of, weight }) => `${of};q=${weight / 1000}`).join(', ')
      const heaviest = Math.max(...ranges.map(({ weight }) => weight))
      const expected = ranges.find(({ weight }) => weight === heaviest)?.of as Language
      assert.equal(bestLanguage(header, fallback), expected)
    }),
  )
})

test('the cost of a header is linear in its length', () => {
  for (const textOf of [
    (length: number) => 'a-'.repeat(length / 2),
    (length: number) => 'a,'.repeat(length / 2),
    (length: number) => `en${' '.repeat(length)}x`,
  ]) {
    assertLinear(100_000, textOf, (header) => bestLanguage(header, 'en'))
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LANGUAGES, type Language } from '../domain/organization.ts'
import { bestLanguage } from './language.ts'

const language = fc.constantFrom(...LANGUAGES)

test('without a header, and where nothing matches, the fallback answers', () => {
  assert.equal(bestLanguage(undefined, 'tr'), 'tr')
  assert.equal(bestLanguage('', 'tr'), 'tr')
  assert.equal(bestLanguage('ja, zh-Hant-TW;q=0.8', 'tr'), 'tr')
})

test('lookup goes from the specific to the general', () => {
  assert.equal(bestLanguage('pt-BR', 'en'), 'pt')
  assert.equal(bestLanguage('DE-de-1996', 'en'), 'de')
  assert.equal(bestLanguage('ar-*', 'en'), 'ar')
  assert.equal(bestLanguage('ja, es-419;q=0.9, en;q=0.8', 'tr'), 'es')
})

test('weights come before the order, the order decides between equals', () => {
  assert.equal(bestLanguage('en;q=0.5, ru;q=0.9, fr;q=0.9', 'tr'), 'ru')
  assert.equal(bestLanguage('en;q=0.001, fr;q=0', 'tr'), 'en')
  assert.equal(bestLanguage('pt-BR;q=0.9, pt;q=0.1, en;q=0.5', 'tr'), 'pt')
})

test('q=0 excludes', () => {
  assert.equal(bestLanguage('fr;q=0', 'tr'), 'tr')
  assert.equal(bestLanguage('fr;q=0.0, *', 'fr'), 'en')
  assert.equal(bestLanguage('*;q=0', 'tr'), 'tr')
})

test('* is any language that was not named, the fallback first', () => {
  assert.equal(bestLanguage('*', 'tr'), 'tr')
  assert.equal(bestLanguage('de;q=0.5, *', 'de'), 'en')
  assert.equal(bestLanguage('ja, *;q=0.5', 'es'), 'es')
})

test('what is not well-formed is ignored', () => {
  assert.equal(bestLanguage('de;q=2, fr;q=x, ;;, ru;q=0.1', 'en'), 'ru')
  assert.equal(bestLanguage('constructor, __proto__, de_DE', 'en'), 'en')
})

test('any header is answered in a language of the service', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), language, (header, fallback) => {
      assert.ok(LANGUAGES.includes(bestLanguage(header, fallback)))
    }),
  )
})

test('of weighted languages the heaviest, and of equals the first, is chosen', () => {
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

test('a header as long as a server takes costs little', () => {
  const started = performance.now()
  bestLanguage('a-'.repeat(8000), 'en')
  bestLanguage('a,'.repeat(8000), 'en')
  bestLanguage(`en${' '.repeat(16_000)}x`, 'en')
  assert.ok(performance.now() - started < 200)
})

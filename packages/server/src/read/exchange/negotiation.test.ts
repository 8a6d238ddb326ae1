import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import fc from 'fast-check'
import { assertLinear } from '../../../testing/linear.ts'
import { LANGUAGES, type Language } from '../../base/domain/organization.ts'
import { bestLanguage, type Coding, preferredCoding, wantsEvents } from './negotiation.ts'

describe('A client', () => {
  it('gets events if it names them', () => {
    for (const header of [
      'text/event-stream',
      'TEXT/Event-Stream',
      'text/event-stream, */*;q=0.1',
      'application/json;q=0.5, text/event-stream',
    ]) {
      assert.ok(wantsEvents(header), header)
    }
  })

  it('gets JSON otherwise', () => {
    for (const header of [
      undefined,
      '',
      '*/*',
      'text/*',
      'application/json',
      'application/json, text/event-stream',
      'text/event-stream;q=0',
      'application/json, text/event-stream;q=0.9',
      'text/event-streams',
    ]) {
      assert.ok(!wantsEvents(header), header)
    }
  })
})

const PREFERENCES: [header: string | undefined, coding: Coding | undefined][] = [
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['deflate', undefined],
  ['x-gzip', undefined],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['br', 'br'],
  ['zstd', 'zstd'],
  // As browsers and curl send it.
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'br'],
  ['deflate, gzip', 'gzip'],
  // A client that names none may not know the newer ones.
  ['*', 'gzip'],
  ['*;q=0.5', 'gzip'],
  ['identity, *', 'gzip'],
  ['br, *', 'br'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['br;q=0.5, gzip;q=0.8, zstd;q=0.1', 'gzip'],
  ['gzip;q=0', undefined],
  ['gzip;q=0.000', undefined],
  ['gzip;q=0, *', undefined],
  ['zstd;q=0, br;q=0, *', 'gzip'],
  ['*;q=0', undefined],
  ['gzip, *;q=0', 'gzip'],
  ['identity;q=0, gzip', 'gzip'],
  ['identity, gzip;q=0.5', undefined],
  [', ,gzip,', 'gzip'],
  ['gzip;q=x', undefined],
  // Weights are from 0 to 1.
  ['gzip;q=-1, br;q=0.1', 'br'],
  ['gzip;q=-1', undefined],
  ['gzip;q=NaN, br;q=1e400', 'br'],
  ['gzip;q=2, br', 'br'],
  [`${'x,'.repeat(99)}gzip`, 'gzip'],
  [`${'x,'.repeat(100)}gzip`, undefined],
  // Forbidden by RFC 9110, and read as the senders mean it.
  ['gzip;q=', 'gzip'],
  ['br;q="0.5"', 'br'],
  ['zstd;level=3;q=0.2, gzip;q=0.1', 'zstd'],
]

test('the preferred coding follows Accept-Encoding, also for a repeated header', () => {
  for (const [header, coding] of PREFERENCES) {
    assert.equal(preferredCoding(header), coding, JSON.stringify(header))
  }
})

test('the cost of a header is linear in its length', () => {
  assertLinear(100_000, (length) => 'gzip,'.repeat(length / 5), preferredCoding)
  assertLinear(100_000, (length) => `gzip${';q=1'.repeat(length / 4)}`, preferredCoding)
})

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

import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseQuery } from '../../../read/exchange/request.ts'
import { type Context, UNLIMITED } from '../../../read/parameters/parameter.ts'
import {
  fromTimeRequired,
  invalidLimit,
  invalidTime,
  limitAboveMaximum,
  outOfRange,
  rangeAboveMaximum,
  rangeReversed,
  repeatedParameter,
  toTimeRequired,
} from '../../../read/refusal.ts'
import {
  HISTORY,
  type HistoryQuery,
  openCursor,
  type PagedHistory,
  sealCursor,
} from './list-positions.ts'

const read = (search: string, limits: Partial<Context> = {}) =>
  HISTORY.read(parseQuery(search), { ...UNLIMITED, id: '7', ...limits })
const PLAIN = {
  id: 7,
  stepMs: null,
  columns: { hasQuality: false, isExact: false, attributes: null },
}
const RANGE = 'from_time=2026-11-20&to_time=2026-11-20'
const DAY = { from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 21) - 1 }
const rangeOf = (search: string) => (read(search) as HistoryQuery).range

describe('The parameters of a history', () => {
  it('are checked in the documented order', () => {
    const order: [search: string, refusal: unknown][] = [
      ['', fromTimeRequired],
      ['limit=0&cursor=', fromTimeRequired],
      ['from_time=&to_time=&limit=0', fromTimeRequired],
      ['from_time=&from_time=', fromTimeRequired],
      ['to_time=x&to_time=x', fromTimeRequired],
      ['from_time=x', toTimeRequired],
      ['from_time=x&from_time=x', toTimeRequired],
      ['from_time=x&to_time=&limit=0', toTimeRequired],
      ['from_time=x&to_time=y&to_time=y&limit=0', repeatedParameter('to_time')],
      ['from_time=x&from_time=&to_time=y&limit=0', repeatedParameter('from_time')],
      [`${RANGE}&limit=1&limit=1`, repeatedParameter('limit')],
      [`${RANGE}&cursor=a&cursor=a`, repeatedParameter('cursor')],
      ['from_time=x&to_time=y&limit=0', invalidTime('from_time', 'x')],
      ['from_time=2026-11-20&to_time=y&limit=0', invalidTime('to_time', 'y')],
      ['from_time=2026-11-21&to_time=2026-11-20&limit=0', rangeReversed],
      [`${RANGE}&limit=0&cursor=`, invalidLimit('0')],
      [`${RANGE}&limit=1&step=0&cursor=`, outOfRange('step', '0', 1, 86_400)],
    ]
    for (const [search, refusal] of order) assert.deepEqual(read(search), refusal, search)
  })

  it('may be in any order, among others that are ignored', () => {
    assert.deepEqual(read('x=1&x=2&limit=5&to_time=2026-11-20&cursor=abc&from_time=2026-11-20'), {
      range: DAY,
      limit: 5,
      cursor: 'abc',
      ...PLAIN,
    })
    assert.deepEqual(read(RANGE), {
      ...{ range: DAY, limit: null, cursor: undefined },
      ...PLAIN,
    })
    assert.deepEqual(read(`${RANGE}&limit=`), {
      ...{ range: DAY, limit: null, cursor: undefined },
      ...PLAIN,
    })
    for (const alias of ['from', 'start_time', 'FROM_TIME', 'from_time[]']) {
      assert.deepEqual(read(`${alias}=2026-11-20&to_time=2026-11-20`), fromTimeRequired, alias)
    }
  })
})

describe('The range of a history', () => {
  it('begins with the first millisecond of a date and ends with the last', () => {
    assert.deepEqual(rangeOf(RANGE), DAY)
    assert.deepEqual(rangeOf('from_time=2026-11-20T00:00Z&to_time=2026-11-20'), DAY)
    assert.deepEqual(rangeOf('from_time=2026-11-20&to_time=2026-11-20T23:59:59.999'), DAY)
  })

  it('includes both ends, which may be one moment', () => {
    const at = Date.UTC(2026, 10, 20, 10)
    const moment = '2026-11-20T10:00:00Z'
    assert.deepEqual(rangeOf(`from_time=${moment}&to_time=${moment}`), { from: at, to: at })
    const later = '2026-11-20T10:00:00.001Z'
    assert.deepEqual(read(`from_time=${later}&to_time=${moment}`), rangeReversed)
    assert.deepEqual(rangeOf(`from_time=${moment}&to_time=${later}`), { from: at, to: at + 1 })
  })

  it('excludes milliseconds outside of ends with finer precision', () => {
    const at = Date.UTC(2026, 10, 20, 10)
    const inside = 'from_time=2026-11-20T10:00:00.0001&to_time=2026-11-20T10:00:00.0029'
    assert.deepEqual(rangeOf(inside), { from: at + 1, to: at + 2 })
    const between = rangeOf('from_time=2026-11-20T10:00:00.0001&to_time=2026-11-20T10:00:00.0009')
    assert.ok(between.from > between.to)
  })

  it('accepts the space that an unescaped plus becomes', () => {
    const from = Date.UTC(2026, 10, 20, 8)
    for (const plus of ['+', '%2B', '%20']) {
      const range = rangeOf(`from_time=2026-11-20T10:00${plus}02:00&to_time=2026-11-20`)
      assert.equal(range.from, from, plus)
    }
  })

  it('survives being written into a link and parsed again', () => {
    const anyEnd = fc
      .tuple(
        fc.constantFrom('0000-01-01', '0001-06-01', '1969-12-31', '2026-11-20', '9999-12-31'),
        fc.constantFrom('', 'T00:00', 'T23:59:59.999'),
        fc.constantFrom('', 'Z', '%2B23:59', '-23:59'),
      )
      .map(([date, time, zone]) => (time === '' ? date : date + time + zone))
    fc.assert(
      fc.property(anyEnd, anyEnd, (from, to) => {
        const first = read(`from_time=${from}&to_time=${to}`)
        fc.pre('range' in first && first.range.from <= first.range.to)
        const link = HISTORY.link('', { ...(first as HistoryQuery), limit: 5 })
        assert.deepEqual(read(link.slice(1)), { ...first, limit: 5 })
      }),
    )
  })

  it('is refused above the operator’s maximum, which the error names, and accepted up to it', () => {
    const limits = { maxHistoryDays: 2 }
    const ends = (from: string, to: string) => read(`from_time=${from}&to_time=${to}`, limits)
    assert.ok('range' in ends('2026-11-20', '2026-11-21'))
    assert.ok('range' in ends('2026-11-20T10:00', '2026-11-22T10:00'))
    assert.deepEqual(ends('2026-11-20T10:00', '2026-11-22T10:00:00.001'), rangeAboveMaximum(2))
    assert.deepEqual(ends('2026-11-20', '2026-11-22'), rangeAboveMaximum(2))
    assert.deepEqual(ends('0001-01-01', '9999-12-31'), rangeAboveMaximum(2))
    assert.deepEqual(ends('2026-11-22', '2026-11-20'), rangeReversed)
  })
})

describe('The limit of a history', () => {
  it('is digits, at least 1', () => {
    const limitOf = (text: string) => (read(`${RANGE}&limit=${text}`) as HistoryQuery).limit
    assert.equal(limitOf('1'), 1)
    assert.equal(limitOf('0010'), 10)
    assert.equal(limitOf('9007199254740991'), Number.MAX_SAFE_INTEGER)
    assert.equal(limitOf('9'.repeat(40)), null, 'more rows than can be numbered are all rows')
  })

  it('is no other text', () => {
    for (const text of ['0', '000', '-1', '1.5', '1e3', '0x10', 'ten', ' 1', '1 ', '１']) {
      const refusal = read(`${RANGE}&limit=${encodeURIComponent(text)}`)
      assert.deepEqual(refusal, invalidLimit(text), JSON.stringify(text))
    }
    assert.deepEqual(read(`${RANGE}&limit=+1`), invalidLimit(' 1'))
  })

  it('is refused above the operator’s maximum, which the error names', () => {
    const limits = { maxHistoryRows: 100 }
    assert.equal((read(`${RANGE}&limit=100`, limits) as HistoryQuery).limit, 100)
    assert.deepEqual(read(`${RANGE}&limit=101`, limits), limitAboveMaximum(100))
    assert.deepEqual(read(`${RANGE}&limit=${'9'.repeat(400)}`, limits), limitAboveMaximum(100))
    assert.equal((read(RANGE, limits) as HistoryQuery).limit, null)
  })
})

const SECRET = createSecretKey(Buffer.alloc(32, 7))
const PAGED: PagedHistory = { organization: 1, object: '12', range: { from: 3, to: 45 } }
const LAST = Date.UTC(2026, 10, 20)

describe('A cursor', () => {
  it('opens to its sealed time', () => {
    const anyPaged = fc.record({
      organization: fc.nat(),
      object: fc.nat().map(String),
      range: fc.record({ from: fc.maxSafeInteger(), to: fc.maxSafeInteger() }),
    })
    fc.assert(
      fc.property(anyPaged, fc.maxSafeNat(), (paged, time) => {
        const lastTime = time % 2 ** 48
        assert.equal(openCursor(SECRET, paged, sealCursor(SECRET, paged, lastTime)), lastTime)
      }),
    )
  })

  it('needs no escaping in a URL', () => {
    assert.match(sealCursor(SECRET, PAGED, LAST), /^[\w-]+$/)
  })

  it('does not open with any bit flipped', () => {
    const bytes = Buffer.from(sealCursor(SECRET, PAGED, LAST), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      assert.equal(openCursor(SECRET, PAGED, flipped.toString('base64url')), undefined, `${bit}`)
    }
  })

  it('has one spelling', () => {
    const cursor = sealCursor(SECRET, PAGED, LAST)
    const last = cursor.at(-1)!
    for (const other of [
      '',
      `${cursor}=`,
      `${cursor} `,
      ` ${cursor}`,
      `${cursor}\n`,
      `${cursor}A`,
      cursor.slice(0, -1),
      cursor.slice(0, 4),
      `${cursor.slice(0, 1)}.${cursor.slice(1)}`,
      `${cursor}${cursor}`,
      '🚚',
    ]) {
      assert.equal(openCursor(SECRET, PAGED, other), undefined, other)
    }
    for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/') {
      if (character === last) continue
      assert.equal(openCursor(SECRET, PAGED, cursor.slice(0, -1) + character), undefined, character)
    }
  })

  it('does not open for another request', () => {
    const cursor = sealCursor(SECRET, PAGED, LAST)
    const others: PagedHistory[] = [
      { ...PAGED, organization: 2 },
      { ...PAGED, object: '1' },
      { ...PAGED, object: '13' },
      { ...PAGED, range: { from: 4, to: 45 } },
      { ...PAGED, range: { from: 3, to: 44 } },
      // The same characters, split elsewhere.
      { organization: 1, object: '1', range: { from: 23, to: 45 } },
      { organization: 11, object: '2', range: { from: 3, to: 45 } },
      { ...PAGED, range: { from: 34, to: 5 } },
    ]
    for (const other of others) assert.equal(openCursor(SECRET, other, cursor), undefined)
    assert.equal(openCursor(createSecretKey(Buffer.alloc(32, 8)), PAGED, cursor), undefined)
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isPrivate, type PrivateSettings, parseRanges, parseWeekly } from './private-hours.ts'

const NO_PLAN: PrivateSettings = { privateHours: null, privateRanges: null, privateTimeZone: null }
const MINUTE_MS = 60_000
const WEEKDAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su']

/** Zones at the ends of the clock, with summer times of an hour, of half an hour, and at midnight, and with a lost day. */
const ZONES = [
  ...['UTC', 'Europe/Madrid', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago'],
  ...['Pacific/Kiritimati', 'Etc/GMT-14', 'Etc/GMT+12', 'Pacific/Apia', 'Asia/Kathmandu'],
]
/** Times around which these zones change their clocks, and others. */
const AROUND = [
  ...['2026-03-29T01:00Z', '2026-10-25T01:00Z', '2026-03-08T07:00Z', '2026-11-01T06:00Z'],
  ...['2026-04-04T15:00Z', '2026-10-03T15:30Z', '2026-04-05T03:00Z', '2026-09-06T04:00Z'],
  ...['1994-12-31T10:00Z', '2011-12-30T10:00Z', '2026-01-01T00:00Z', '1970-01-05T00:00Z'],
].map((text) => Date.parse(text))

function inZone(zone: string, more: Partial<PrivateSettings>) {
  const settings = { ...NO_PLAN, privateTimeZone: zone, ...more }
  return (time: string) => isPrivate(settings, Date.parse(time))
}

describe('a weekly plan', () => {
  it('has days with times, days alone and times alone', () => {
    const is = inZone('Europe/Madrid', { privateHours: 'Mo-Fr 18:00-08:00; Sa,Su' })
    // Friday 17:59 and 18:00, Saturday, Monday 07:59 and 08:00, all in winter.
    assert.equal(is('2026-11-27T16:59:59.999Z'), false)
    assert.equal(is('2026-11-27T17:00Z'), true)
    assert.equal(is('2026-11-28T11:00Z'), true)
    assert.equal(is('2026-11-30T06:59:59.999Z'), false)
    assert.equal(is('2026-11-29T22:59:59.999Z'), true)
    const nightly = inZone('UTC', { privateHours: '22:00-06:00' })
    assert.deepEqual(['2026-11-30T05:59Z', '2026-11-30T06:00Z', '2026-11-30T22:00Z'].map(nightly), [
      true,
      false,
      true,
    ])
  })

  it('has both moments of a repeated time', () => {
    const is = inZone('Europe/Madrid', { privateHours: 'Su 02:00-03:00' })
    const moments = ['2026-10-24T23:59:59Z', '2026-10-25T00:00Z', '2026-10-25T01:30Z']
    assert.deepEqual([...moments, '2026-10-25T02:00Z'].map(is), [false, true, true, false])
  })

  it('has no moment of a time that is skipped', () => {
    const is = inZone('Europe/Madrid', { privateHours: 'Su 02:00-03:00' })
    assert.deepEqual(['2026-03-29T00:59:59Z', '2026-03-29T01:00Z', '2026-03-29T01:59Z'].map(is), [
      false,
      false,
      false,
    ])
  })

  it('is refused in another form', () => {
    const refused = [
      '',
      ';',
      'Mo-',
      'Mo 8:00-18:00',
      'Mo 24:00-08:00',
      'Mo 08:00',
      'mo',
      'Mo 08:00-25:00',
    ]
    for (const text of [...refused, 'Mo08:00-18:00', 'Mo-Fr; ', 'Mo Tu', ' Mo', '2026-12-24']) {
      assert.equal(parseWeekly(text), undefined, text)
    }
  })

  it('is that of a clock, read minute by minute', () => {
    const clock = fc.integer({ min: 0, max: 1439 })
    const rule = fc.record({
      days: fc.option(fc.tuple(fc.nat(6), fc.nat(6))),
      times: fc.option(fc.tuple(clock, fc.integer({ min: 0, max: 1440 }))),
    })
    const cases = fc.record({
      rules: fc.array(rule, { minLength: 1, maxLength: 12 }),
      zone: fc.constantFrom(...ZONES),
      around: fc.constantFrom(...AROUND),
    })
    fc.assert(
      fc.property(cases, ({ rules, zone, around }) => {
        const spoken = rules.filter(({ days, times }) => days !== null || times !== null)
        fc.pre(spoken.length > 0)
        const privateHours = spoken.map(textOf).join('; ')
        const settings = { ...NO_PLAN, privateHours, privateTimeZone: zone }
        for (let minute = -36 * 60; minute <= 36 * 60; minute += 7) {
          const time = around + minute * MINUTE_MS
          const shown = shownBy(zone, time)
          const expected = spoken.some((each) => isInRule(each, shown))
          assert.equal(isPrivate(settings, time), expected, `${privateHours} ${zone} ${time}`)
        }
      }),
      { numRuns: 40 },
    )
  })
})

type SpokenRule = { days: [number, number] | null; times: [number, number] | null }

function textOf({ days, times }: SpokenRule): string {
  const clock = (minute: number) =>
    `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
  return [
    ...(days === null ? [] : [days.map((day) => WEEKDAYS[day]).join('-')]),
    ...(times === null ? [] : [times.map(clock).join('-')]),
  ].join(' ')
}

/** The weekday, from 0 for Monday, and the minute of the day that a clock shows. */
function shownBy(timeZone: string, time: number): { day: number; minute: number } {
  const parts = Object.fromEntries(
    new Intl.DateTimeFormat('en-US', {
      ...{ timeZone, hourCycle: 'h23', weekday: 'short', hour: '2-digit', minute: '2-digit' },
    } as const)
      .formatToParts(time)
      .map(({ type, value }) => [type, value]),
  )
  const day = WEEKDAYS.indexOf(parts.weekday!.slice(0, 2))
  return { day, minute: Number(parts.hour) * 60 + Number(parts.minute) }
}

/** The local time that a clock shows at a moment, as if it were UTC. */
function clockOf(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat('sv', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  return (time) => Date.parse(`${format.format(time).replace(' ', 'T')}Z`)
}

function isInRule({ days, times }: SpokenRule, { day, minute }: { day: number; minute: number }) {
  const isDay = (each: number) => {
    if (days === null) return true
    const [first, last] = days
    return first <= last ? each >= first && each <= last : each >= first || each <= last
  }
  const [from, until] = times ?? [0, 1440]
  if (until > from) return isDay(day) && minute >= from && minute < until
  return (isDay(day) && minute >= from) || (isDay((day + 6) % 7) && minute < until)
}

describe('private ranges', () => {
  it('are days, from day to day, and from time to time', () => {
    const privateRanges = '2026-12-24, 2026-12-26/2026-12-27, 2026-12-29T12:00/2026-12-30T08:00'
    const is = inZone('Etc/GMT-14', { privateRanges })
    const within = ['2026-12-23T10:00Z', '2026-12-24T09:59:59.999Z', '2026-12-25T10:00Z']
    for (const time of [...within, '2026-12-27T09:59Z', '2026-12-28T22:00Z']) {
      assert.equal(is(time), true, time)
    }
    const outside = ['2026-12-23T09:59:59.999Z', '2026-12-24T10:00Z', '2026-12-27T10:00Z']
    for (const time of [...outside, '2026-12-28T21:59Z', '2026-12-29T18:00Z']) {
      assert.equal(is(time), false, time)
    }
  })

  it('take times with an offset as they are', () => {
    const privateRanges = '2026-12-24T10:00Z/2026-12-24T13:00+01:00'
    const is = inZone('Pacific/Kiritimati', { privateRanges })
    const moments = ['2026-12-24T09:59Z', '2026-12-24T10:00Z', '2026-12-24T11:59Z']
    assert.deepEqual([...moments, '2026-12-24T12:00Z'].map(is), [false, true, true, false])
  })

  it('have both moments of a repeated time at their ends', () => {
    const zone = 'Europe/Madrid'
    const before = inZone(zone, { privateRanges: '2026-10-24T12:00/2026-10-25T02:30' })
    assert.deepEqual(['2026-10-25T01:29Z', '2026-10-25T01:30Z'].map(before), [true, false])
    const after = inZone(zone, { privateRanges: '2026-10-25T02:30/2026-10-25T12:00' })
    assert.deepEqual(['2026-10-25T00:29Z', '2026-10-25T00:30Z'].map(after), [false, true])
  })

  it('begin and end at the change of the clock, if it skips their ends', () => {
    const is = (privateRanges: string) => inZone('Europe/Madrid', { privateRanges })
    const after = is('2026-03-29T02:30/2026-03-29T12:00')
    assert.deepEqual(['2026-03-29T00:59:59Z', '2026-03-29T01:00Z'].map(after), [false, true])
    const before = is('2026-03-28T12:00/2026-03-29T02:30')
    assert.deepEqual(['2026-03-29T00:59:59Z', '2026-03-29T01:00Z'].map(before), [true, false])
  })

  it('are from when a clock first shows their start until it last shows less than their end', () => {
    const cases = fc.record({
      zone: fc.constantFrom(...ZONES),
      around: fc.constantFrom(...AROUND),
      // In half hours.
      from: fc.integer({ min: -60, max: 60 }),
      length: fc.integer({ min: 1, max: 100 }),
    })
    fc.assert(
      fc.property(cases, ({ zone, around, from, length }) => {
        const start = around + from * 30 * MINUTE_MS
        const end = start + length * 30 * MINUTE_MS
        const privateRanges = [start, end].map((at) => new Date(at).toISOString().slice(0, 16))
        const is = inZone(zone, { privateRanges: privateRanges.join('/') })
        const quarters = Array.from({ length: 400 }, (_, i) => around + (i - 200) * 15 * MINUTE_MS)
        const shown = quarters.map(clockOf(zone))
        const first = shown.findIndex((time) => time >= start)
        const last = shown.findLastIndex((time) => time < end)
        for (const [i, time] of quarters.entries()) {
          const text = new Date(time).toISOString()
          const expected = first !== -1 && i >= first && i <= last
          assert.equal(is(text), expected, `${privateRanges} ${zone} ${text}`)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('are refused in another form', () => {
    const refused = [
      '',
      ',',
      '2026-12-32',
      '2026-12-24T10:00',
      '2026-12-25/2026-12-24',
      '2026-12-24/',
    ]
    const mixed = '2026-12-24T10:00/2026-12-25T10:00Z'
    for (const text of [
      ...refused,
      mixed,
      '2026-12-24/2026-12-25/2026-12-26',
      'Mo',
      '2026-12-24T08:00/2026-12-24T08:00',
    ]) {
      assert.equal(parseRanges(text), undefined, text)
    }
  })
})

it('a plan is the same after a thousand others were read', () => {
  const is = inZone('UTC', { privateHours: 'Mo', privateRanges: '2026-12-24' })
  const moments = ['2026-12-21T10:00Z', '2026-12-24T10:00Z', '2026-12-25T10:00Z']
  assert.deepEqual(moments.map(is), [true, true, false])
  for (let minute = 0; minute < 1_100; minute += 1) {
    const until = new Date(minute * MINUTE_MS).toISOString().slice(11, 16)
    const other = {
      privateHours: `12:00-${until}`,
      privateRanges: `2026-01-01T00:00Z/2026-01-02T${until}Z`,
    }
    inZone('UTC', other)('2026-12-24T10:00Z')
  }
  assert.deepEqual(moments.map(is), [true, true, false])
})

it('nothing is private without a plan, and no moment that no calendar has', () => {
  assert.equal(isPrivate(NO_PLAN, 0), false)
  const all = { ...NO_PLAN, privateHours: 'Mo-Su' }
  assert.equal(isPrivate(all, 0), true)
  for (const time of [Number.NaN, Number.POSITIVE_INFINITY, 9e15]) {
    assert.equal(isPrivate(all, time), false)
  }
})

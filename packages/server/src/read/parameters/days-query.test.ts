import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseQuery } from '../exchange/request.ts'
import {
  datesReversed,
  fromDateRequired,
  invalidDate,
  invalidIds,
  invalidTimeZone,
  rangeAboveMaximum,
  repeatedParameter,
  toDateRequired,
} from '../refusal.ts'
import { DAYS } from './days-query.ts'
import { UNLIMITED } from './parameter.ts'

const DATES = 'from_date=2026-05-04&to_date=2026-05-05'
const read = (search: string, maxHistoryDays: number | null = null) =>
  DAYS.read(parseQuery(search), { ...UNLIMITED, timeZone: 'Europe/Madrid', maxHistoryDays })

it('the parameters of days are read, and the time zone of the organization is the default', () => {
  const dates = { dates: { from: 20_577, to: 20_578 } }
  const none = {
    ...{ timeZone: 'Europe/Madrid', limit: null, cursor: undefined },
    ...{ ids: 'all', attributes: null, by: undefined, skipsExhausted: false },
  }
  assert.deepEqual(read(DATES), { ...dates, ...none })
  assert.deepEqual(read(`${DATES}&tz=&time_zone=&limit=&ids=all`), { ...dates, ...none })
  assert.deepEqual(read(`${DATES}&tz=asia/kathmandu&limit=7&ids=9,3&cursor=x&by=driver`), {
    ...dates,
    ...{ timeZone: 'asia/kathmandu', limit: 7, cursor: 'x', ids: [3, 9] },
    ...{ attributes: null, by: 'driver', skipsExhausted: false },
  })
})

it('wrong parameters of days are refused, in the order of histories', () => {
  const to = 'to_date=2026-05-04'
  assert.deepEqual(read(`from_date=&${to}`), fromDateRequired)
  assert.deepEqual(read('from_date=x'), toDateRequired)
  assert.deepEqual(read(`${DATES}&tz=UTC&tz=UTC`), repeatedParameter('tz'))
  assert.deepEqual(read(`${DATES}&tz=UTC&time_zone=UTC`), repeatedParameter('tz'))
  assert.deepEqual(read(`${DATES}&ids=`), invalidIds(''))
  assert.deepEqual(read(`from_date=2026-02-30&${to}`), invalidDate('from_date', '2026-02-30'))
  const moment = '2026-05-04T00:00Z'
  assert.deepEqual(read(`from_date=2026-05-04&to_date=${moment}`), invalidDate('to_date', moment))
  assert.deepEqual(read(`from_date=2026-05-05&${to}`), datesReversed)
  assert.deepEqual(read(`${DATES}&tz=%2B02:00`), invalidTimeZone('+02:00'))
})

it('the maximum of history days counts both ends', () => {
  assert.ok('dates' in read(DATES, 2))
  assert.deepEqual(read(DATES, 1), rangeAboveMaximum(1, 'date'))
})

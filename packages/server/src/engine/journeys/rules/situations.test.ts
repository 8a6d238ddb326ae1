import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DerivedObject } from '../../../../testing/records/derived-object.ts'
import { FoldedObject } from '../../../../testing/records/folded-object.ts'
import { fixesOf, SITUATIONS, type Situation } from '../../../../testing/records/situations.ts'
import type { Fix } from '../../../base/domain/position/fix.ts'
import { placeIndex } from './place-index.ts'

const NO_PLACES = placeIndex([], [])

/** The trips with km, and minutes of driving or silence, and the stops with minutes: in order. */
function outcomeOf(situation: Situation): string {
  const object = new DerivedObject(situation.settings)
  object.object.append(fixesOf(situation))
  while (!object.isDone()) object.derive(NO_PLACES, 1_000_000)
  const minutes = (ms: number) => Math.round(ms / 6_000) / 10
  const trips = object.records('trip').map(({ record }) => {
    const { start, distance, movingTime, silentTime } = record
    const km = Math.round(distance! / 1e5) / 10
    const time = silentTime > 0 ? `${minutes(silentTime)} silent` : `${minutes(movingTime)} min`
    return { start, is: `${km} km ${time}` }
  })
  const stops = object.records('stop').map(({ record: { start, until } }) => {
    return { start: start + 0.5, is: `stop ${minutes(until - start)}` }
  })
  const all = [...trips, ...stops].sort((a, b) => a.start - b.start).map(({ is }) => is)
  const counts = new Map(all.map((each) => [each, all.filter((other) => other === each).length]))
  if (all.length > 8) return Array.from(counts, ([is, count]) => `${count} × ${is}`).join(', ')
  return all.join(', ')
}

/** The outcomes by the rules, and the right ones, where they differ. */
const OUTCOMES: readonly (readonly [name: string, given: string, right?: string])[] = [
  ['each fix sent twice, 5 s apart', '19 km 21.7 min, stop 9'],
  ['each fix sent twice, 30 s apart', '19 km 30 min, stop 9'],
  ['each fix sent twice, 60 s apart', '19 km 40 min, stop 9'],
  ['each fix sent twice, 120 s apart', '19 km 60 min, stop 9'],
  ['a crawl at 6 km/h with 3 decimals', '3 km 30.5 min, stop 9'],
  ['a crawl at 6 km/h with 4 decimals', '2.9 km 30.5 min, stop 9'],
  ['a tunnel of 5 minutes with repeated fixes', '24 km 23 min, stop 9', '25 minutes of driving'],
  [
    'a stuck tracker for 8 hours, left at 0 m',
    '9 km 12 min, stop 478, 3 km 4 min',
    '10 minutes of driving before the stop',
  ],
  [
    'a stuck tracker for 8 hours, left at 400 m',
    '9 km 12 min, stop 477, 3.4 km 5 min',
    '10 minutes of driving before the stop',
  ],
  [
    'a stuck tracker for 8 hours, left at 140000 m',
    '9 km 12 min, stop 477, 143 km 5 min',
    '10 minutes of driving, then nobody knows',
  ],
  ['an excavator that reports every 10 minutes', 'stop 470'],
  ['an excavator that drives now and then', 'stop 470', '0.3 km, nobody knows when'],
  ['a slow leg, then parked until the end', '9 km 9 min, stop 105', '9.4 km'],
  [
    'a phone that is silent in front of a shop',
    '9.2 km 10 min, stop 45, 10 km 10 min, stop 9',
    '19.2 km',
  ],
  ['a jam with reports every 10 minutes', '6.6 km 110 min'],
  ['a bus that reports every 5 minutes', '46 km 115 min'],
  ['a walker', '5.4 km 60 min, stop 9'],
  ['a feed’s outage of 70 minutes at 60 km/h', '9 km 9 min, 70 km 70 silent, 10 km 11 min, stop 9'],
  [
    'a feed’s outage of 70 minutes on a round at 60 km/h',
    '9 km 9 min, 0.9 km 70 silent, 10 km 11 min, stop 9',
    '70 km of driving',
  ],
  ['a garage that is entered moving', '9.3 km 10 min, stop 540, 10 km 11 min, stop 9', '19.6 km'],
  ['a garage that is entered standing', '9.3 km 10 min, stop 540, 10 km 11 min, stop 9', '19.6 km'],
  [
    'a maximum gap of 5 minutes',
    '9 km 9 min, 0.3 km 6.7 silent, 10 km 10 min, stop 6.7, 10.1 km 10 min, stop 9',
    '29.3 km',
  ],
  [
    'a parked tracker that reports every 2 hours for 30 days, and drifts',
    '179 × 0 km 120 silent, 90 × stop 0, 90 × stop 240',
    'one stop',
  ],
  ['a ferry with the ignition off, live', '57 km 130 min, stop 9'],
  ['a tow with the ignition off, live', 'stop 9, 9.6 km 12 min, stop 9'],
  [
    'a ferry with the ignition off, silent',
    '9 km 10 min, stop 4, 48 km 120 silent, 10 km 10 min, stop 0, stop 9',
  ],
  ['a ferry with the ignition off, frozen', '9 km 10 min, stop 125, 10 km 10 min, stop 9', '67 km'],
  ['spoofing for 30 minutes', '99 km 99 min'],
  [
    'spoofing for 90 minutes',
    '9 km 70 min, stop 30, 10 km 10 min, stop 9',
    '110 km and 110 minutes of driving',
  ],
  [
    'spoofing for 90 minutes, then in pairs',
    '9 km 70 min, stop 30, 32 km 32 min, stop 9',
    '132 km of driving',
  ],
  ['spoofing 8 km away', '21 km 22 min, stop 9'],
  [
    'spoofing as first fix after a silence',
    '9 km 10 min, stop 9, 0 km 120 silent, stop 2, 10 km 10 min, stop 9',
    'one stop until the drive',
  ],
  ['one wrong first fix', 'stop 1, 10 km 10 min, stop 9', 'the stop is wrong'],
  ['three wrong first fixes', 'stop 3, 10 km 10 min, stop 9', 'the stop is wrong'],
  [
    'air freight',
    '9 km 10 min, stop 9, 0 km 180 silent, stop 10, 10 km 10 min, stop 9',
    '2,000 km in silence',
  ],
  ['an outlier of 15 km that is believed', '34 km 26 min, stop 9', '20 km'],
]

describe('The rules of movement', () => {
  for (const [name, given, right] of OUTCOMES) {
    const situation = SITUATIONS.find((each) => each.name === name)!
    it(`give ${name}: ${given}${right === undefined ? '' : ` (right: ${right})`}`, () => {
      assert.equal(outcomeOf(situation), given)
    })

    it(`give the same if fixes are late: ${name}`, () => {
      const fixes = fixesOf(situation)
      const inOrder = foldedFrom(situation, [fixes])
      for (const [every, late] of [
        [2, 1],
        [7, 3],
        [fixes.length, 0],
      ] as const) {
        const isLate = (index: number) => index % every === late
        const first = fixes.filter((_, index) => !isLate(index))
        const rest = fixes.filter((_, index) => isLate(index)).toReversed()
        assert.deepEqual(foldedFrom(situation, [first, ...rest.map((fix) => [fix])]), inOrder)
      }
    })
  }

  it('are tried in each situation', () => {
    assert.deepEqual(
      OUTCOMES.map(([name]) => name),
      SITUATIONS.map(({ name }) => name),
    )
  })
})

function foldedFrom({ settings }: Situation, batches: readonly Fix[][]) {
  const object = new FoldedObject(settings)
  for (const batch of batches) object.append(batch)
  while (object.foldOn());
  return object.folded()
}

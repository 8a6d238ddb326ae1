import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { runAtOnce } from '../common/steps.ts'
import { closedRing, cutLine, cutRing } from './antimeridian-cut.ts'
import { isFlatPolarRing, joinLines, joinRings } from './antimeridian-join.ts'
import { crossingOf, type LonLat } from './place.ts'

const RUNS = { numRuns: Number(process.env.CUT_RUNS ?? 500) }

const normal = (longitude: number) => longitude - 360 * Math.round(longitude / 360)
const rounded = (degrees: number) => Math.round(degrees * 1e7) / 1e7
/** Latitudes are a hundred times further apart than what rounding changes in a meeting. */
const at = (longitude: number, latitude: number): LonLat => [
  rounded(normal(longitude)),
  Math.round(latitude * 1e5) / 1e5,
]

/** A place by one name, whichever of its longitudes it has. */
const placeOf = ([longitude, latitude]: LonLat) =>
  `${Math.abs(longitude) === 180 ? 180 : longitude},${latitude}`

/** The corners without those on the antimeridian that lie on the straight edge between their neighbors. */
function withoutFlat(path: LonLat[], isRing: boolean): LonLat[] {
  const corners = path.filter((corner, i) => placeOf(corner) !== placeOf(path[i - 1] ?? [0, 91]))
  if (isRing) corners.pop()
  return corners.filter(([longitude, latitude], i) => {
    const [before, after] = [corners.at(i - 1), corners[isRing ? (i + 1) % corners.length : i + 1]]
    if (Math.abs(longitude) !== 180 || before === undefined || after === undefined) return true
    if (!isRing && i === 0) return true
    const [left, right] = [before, after].map(([x, y]) => [normal(x - longitude), y])
    if (left![0]! * right![0]! >= 0 || Math.abs(left![0]! - right![0]!) > 180) return true
    const share = left![0]! / (left![0]! - right![0]!)
    return Math.abs(left![1]! + share * (right![1]! - left![1]!) - latitude) > 2e-7
  })
}

/** A ring as the same text from whichever corner and in whichever direction it is given. */
function sameRing(ring: LonLat[]): string {
  const corners = withoutFlat(closedRing(ring), true).map(placeOf)
  const turned = (list: string[]) =>
    list.map((_, i) => [...list.slice(i), ...list.slice(0, i)].join(' ')).sort()[0]!
  return [turned(corners), turned(corners.toReversed())].sort()[0]!
}

function assertFlat(paths: LonLat[][]): void {
  for (const path of paths) {
    for (const [i, [longitude, latitude]] of path.entries()) {
      assert.ok(Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90)
      const isPole = Math.abs(latitude) === 90
      const before = path[i - 1]
      if (before === undefined || isPole) continue
      assert.ok(Math.abs(longitude - before[0]) <= 180, JSON.stringify(path))
    }
  }
}

/** Corners around a center, at growing angles: no edge crosses another. */
const star = fc
  .record({
    centre: fc.tuple(
      fc.oneof(
        fc.constantFrom(180, -180, 179.5, -179),
        fc.double({ min: -180, max: 180, noNaN: true }),
      ),
      fc.double({ min: -60, max: 60, noNaN: true }),
    ),
    reach: fc.double({ min: 0.001, max: 29, noNaN: true }),
    distances: fc.array(fc.double({ min: 0.1, max: 1, noNaN: true }), {
      minLength: 3,
      maxLength: 12,
    }),
    isClosed: fc.boolean(),
    isTurned: fc.boolean(),
  })
  .map(({ centre: [longitude, latitude], reach, distances, isClosed, isTurned }) => {
    const ring = distances.map((distance, i) => {
      const angle = (2 * Math.PI * i) / distances.length
      const [aside, up] = [Math.cos(angle), Math.sin(angle)].map((part) => part * distance * reach)
      return at(longitude + aside!, latitude + up!)
    })
    const given = isTurned ? ring.reverse() : ring
    return isClosed ? closedRing(given) : given
  })

/** Rings around a pole, at growing longitudes. */
const polar = fc
  .record({
    latitudes: fc.array(fc.double({ min: 1, max: 89, noNaN: true }), {
      minLength: 3,
      maxLength: 9,
    }),
    start: fc.oneof(fc.constantFrom(0, 180, 90), fc.double({ min: -180, max: 180, noNaN: true })),
    isSouth: fc.boolean(),
    isTurned: fc.boolean(),
  })
  .map(({ latitudes, start, isSouth, isTurned }) => {
    const ring = latitudes.map((latitude, i) =>
      at(start + (360 * i) / latitudes.length, isSouth ? -latitude : latitude),
    )
    return closedRing(isTurned ? ring.reverse() : ring)
  })

const line = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(180, -180, 179, -179),
      fc.double({ min: -180, max: 180, noNaN: true }),
    ),
    fc.array(
      fc.tuple(
        fc.oneof(fc.constantFrom(1, -1, 0), fc.double({ min: -89, max: 89, noNaN: true })),
        fc.double({ min: -90, max: 90, noNaN: true }),
      ),
      { minLength: 2, maxLength: 12 },
    ),
  )
  .map(([start, steps]) => {
    let longitude = start
    return steps.map(([step, latitude]) => {
      longitude += step
      return at(longitude, latitude)
    })
  })

describe('A path across the antimeridian', () => {
  it('is the same ring after it was cut and joined', () => {
    fc.assert(
      fc.property(star, (ring) => {
        fc.pre(new Set(ring.map(placeOf)).size === closedRing(ring).length - 1)
        fc.pre(runAtOnce(crossingOf(ring)) === null)
        const parts = cutRing(ring)
        assertFlat(parts)
        const again = parts.length > 1 ? joinRings(parts) : parts[0]!
        assert.ok(again !== null, 'the parts are one ring')
        assert.equal(sameRing(again), sameRing(ring))
        const hasFlat = withoutFlat(closedRing(ring), true).length < closedRing(ring).length - 1
        if (!hasFlat) assert.deepEqual(again.map(placeOf), closedRing(ring).map(placeOf))
      }),
      RUNS,
    )
  })

  it('is the same ring around a pole', () => {
    fc.assert(
      fc.property(polar, (ring) => {
        const parts = cutRing(ring)
        assert.equal(parts.length, 1)
        assertFlat(parts)
        assert.ok(isFlatPolarRing(parts[0]!))
        assert.equal(sameRing(joinRings(parts)!), sameRing(ring))
      }),
      RUNS,
    )
  })

  it('is the same line', () => {
    fc.assert(
      fc.property(line, (path) => {
        fc.pre(new Set(path.map(placeOf)).size > 1)
        const parts = cutLine(path)
        assertFlat(parts)
        assert.deepEqual(plain(joinLines(parts).flat()), plain(path))
      }),
      RUNS,
    )
  })
})

const plain = (path: LonLat[]) => withoutFlat(path, false).map(placeOf)

describe('Polygons that other programs cut', () => {
  const box = (west: number, east: number, south: number, north: number): LonLat[] => [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]

  it('are one ring, whatever their directions', () => {
    const ring = '-179,-1 -179,1 179,1 179,-1'
    const [east, west] = [box(179, 180, -1, 1), box(-180, -179, -1, 1)]
    for (const parts of [
      [east, west],
      [west, east],
      [east.toReversed(), west],
      [east, west.toReversed()],
    ]) {
      assert.equal(sameRing(joinRings(parts)!), ring)
    }
  })

  it('keep the edge on the antimeridian that only one of them has', () => {
    const joined = joinRings([box(179, 180, -1, 2), box(-180, -179, -1, 1)])!
    assert.equal(sameRing(joined), '-179,-1 -179,1 180,1 180,2 179,2 179,-1')
  })

  it('stay as they are if they have no width', () => {
    const world = box(-180, 180, -90, 90)
    assert.deepEqual(cutRing(world), [world])
    assert.equal(joinRings([world]), null)
  })

  it('are several if they do not meet there', () => {
    assert.equal(joinRings([box(10, 20, 0, 1), box(20, 30, 0, 1)]), null)
    assert.equal(joinRings([box(179, 180, -1, 1), box(-180, -179, 2, 3)]), null)
    assert.equal(joinRings([box(179, 180, -1, 1), box(-180, -179, -1, 1), box(0, 1, 0, 1)]), null)
  })
})

describe('A line that ends on the antimeridian', () => {
  it('continues only with one that starts there, on the other side', () => {
    const east: LonLat[] = [
      [179, 0],
      [180, 1],
    ]
    for (const [longitude, latitude, lines] of [
      [-180, 1, 1],
      [-180, 2, 2],
      [180, 1, 2],
    ] as const) {
      const next: LonLat[] = [
        [longitude, latitude],
        [-179, 5],
      ]
      assert.equal(joinLines([east, next]).length, lines)
    }
  })
})

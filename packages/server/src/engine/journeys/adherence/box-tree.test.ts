import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { runAtOnce } from '../../../base/domain/common/steps.ts'
import type { LonLat } from '../../../base/domain/places/place.ts'
import { BoxTree, earthPoint, type Nearest } from './box-tree.ts'
import { cutPieces } from './route-line.ts'
import type { Items } from './split-space.ts'

const none = (): Nearest => ({ square: Number.POSITIVE_INFINITY, item: 0, part: 0 })

/** Compares with one item after the other. */
function plainSearch(tree: BoxTree, { items }: Items, place: LonLat): Nearest {
  const nearest = none()
  for (const item of items.toSorted()) tree.compare(pointAt(place), item, nearest)
  return nearest
}

function search(tree: BoxTree, place: LonLat): Nearest {
  const nearest = none()
  runAtOnce(tree.search(pointAt(place), nearest))
  return nearest
}

const pointAt = ([longitude, latitude]: LonLat) => earthPoint(latitude, longitude)

/** Anywhere, at a pole, at the antimeridian, or in one of a few places, which then come several times. */
const anyPlace: fc.Arbitrary<LonLat> = fc.oneof(
  fc.tuple(
    fc.double({ min: -180, max: 180, noNaN: true }),
    fc.double({ min: -90, max: 90, noNaN: true }),
  ),
  fc.tuple(
    fc.double({ min: -180, max: 180, noNaN: true }),
    fc.constantFrom(-90, -89.9999, 89.99, 90),
  ),
  fc.tuple(
    fc.constantFrom(-180, -179.9999, 179.99, 180),
    fc.double({ min: -90, max: 90, noNaN: true }),
  ),
  fc.tuple(fc.constantFrom(2, 2.000001, 2.1), fc.constantFrom(41, 41.000001)),
)
const anyPlaces = fc.array(anyPlace, { minLength: 2, maxLength: 200 })

/** The pieces of a route. */
function pieces(lines: LonLat[][]): Items {
  return { ...runAtOnce(cutPieces(lines)), span: 1 }
}

/** Straight pieces from each place to the next one, also through the Earth. */
function chords(places: readonly LonLat[]): Items {
  const { points: all, items } = points(places)
  return { points: all, items: items.slice(0, -1), span: 1 }
}

function points(places: readonly LonLat[]): Items {
  const all = Float64Array.from(places.flatMap((place) => [...pointAt(place)]))
  return { points: all, items: Uint32Array.from(places.keys()), span: 0 }
}

describe('The nearest of a tree', () => {
  function assertPlain(items: Items, places: readonly LonLat[]): void {
    const tree = runAtOnce(BoxTree.around(items))
    for (const place of places) {
      const [found, plain] = [search(tree, place), plainSearch(tree, items, place)]
      const [metres, plainMetres] = [Math.sqrt(found.square), Math.sqrt(plain.square)]
      assert.ok(Math.abs(metres - plainMetres) < 1e-6, `${metres}, not ${plainMetres}`)
    }
  }

  it('is what one comparison after the other finds, wherever pieces are and however long', () => {
    fc.assert(
      fc.property(anyPlaces, anyPlaces, (vertices, places) =>
        assertPlain(chords(vertices), [...places, ...vertices.slice(0, 5)]),
      ),
      { numRuns: 100 },
    )
  })

  it('is that also for routes around poles and across the antimeridian', () => {
    const anyLine = fc.array(anyPlace, { minLength: 2, maxLength: 6 })
    fc.assert(
      fc.property(fc.array(anyLine, { minLength: 1, maxLength: 2 }), anyPlace, (lines, place) =>
        assertPlain(pieces(lines), [place, ...lines.flat()]),
      ),
      { numRuns: 10 },
    )
  })

  it('is the first of the nearest points', () => {
    fc.assert(
      fc.property(anyPlaces, anyPlace, (places, place) => {
        const items = points(places)
        const tree = runAtOnce(BoxTree.around(items))
        assert.deepEqual(search(tree, place), plainSearch(tree, items, place))
        assert.deepEqual(search(tree, places[0]!).item, 0)
      }),
    )
  })

  it('is found among few, though vertices are in no order and edges cross the map', () => {
    const items = chords(zigzag(20_000))
    const tree = runAtOnce(BoxTree.around(items))
    const compare = tree.compare.bind(tree)
    let compared = 0
    tree.compare = (...each) => {
      compared += 1
      compare(...each)
    }
    const places = zigzag(50).map(([longitude, latitude]): LonLat => [longitude / 2, latitude / 2])
    for (const place of places) search(tree, place)
    const share = compared / places.length / items.items.length
    assert.ok(share < 0.05, `compares with ${(share * 100).toFixed(1)} % of all pieces`)
  })
})

it('The points of a tree within a distance are those that a comparison with each finds', () => {
  fc.assert(
    fc.property(anyPlaces, anyPlace, fc.constantFrom(0, 100, 1e6, 2e7), (places, place, metres) => {
      const items = points(places)
      const tree = runAtOnce(BoxTree.around(items))
      const found = new Set<number>()
      runAtOnce(tree.within(pointAt(place), metres ** 2, (item) => found.add(item)))
      const plain = [...items.items].filter((item) => {
        const nearest = none()
        tree.compare(pointAt(place), item, nearest)
        return nearest.square <= metres ** 2
      })
      assert.deepEqual([...found].sort(), plain.sort())
    }),
  )
})

it('A tree is made in steps, each over some hundred items', () => {
  const items = chords(zigzag(20_000))
  const work = BoxTree.around(items)
  let steps = 0
  while (!work.next().done) steps += 1
  assert.ok(steps > items.items.length / 256, `${steps} steps`)
})

/** Vertices all over the map in no order, the same in each run (W. E. Thomson's generator modulo 2^31 - 1). */
function zigzag(count: number): LonLat[] {
  let state = 1
  const next = () => {
    state = (state * 48_271) % (2 ** 31 - 1)
    return state / 2 ** 31
  }
  return Array.from({ length: count }, () => [next() * 360 - 180, next() * 180 - 90])
}

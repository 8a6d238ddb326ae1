import type { Steps } from '../../domain/common/steps.ts'
import type { Spot } from '../../domain/position/fold-state.ts'
import { BoxTree, type Nearest } from './box-tree.ts'
import { earthPoint } from './earth-point.ts'

/** Positions gathered before each place looks for the nearest of them: 1 MB. */
const GATHERED = 16_384
/** Time, latitude and longitude. */
const SPOT_NUMBERS = 3

/** Finds the position nearest to each of some places: of several, the first one. */
export class NearestSpots {
  /** Three coordinates in space of each place. */
  private readonly places: Float64Array
  /** The square of the straight distance of each place to its nearest position, and that position. */
  private readonly squares: Float64Array
  private readonly found: Float64Array
  private readonly points = new Float64Array(GATHERED * 3)
  private readonly spots = new Float64Array(GATHERED * SPOT_NUMBERS)
  private gathered = 0

  constructor(places: Float64Array) {
    this.places = places
    this.squares = new Float64Array(places.length / 3).fill(Number.POSITIVE_INFINITY)
    this.found = new Float64Array(this.squares.length * SPOT_NUMBERS)
  }

  *add({ time, latitude, longitude }: Spot): Steps<void> {
    const { spots } = this
    const before = (this.gathered - 1) * SPOT_NUMBERS
    // An object that does not move has many positions in one place.
    if (spots[before + 1] === latitude && spots[before + 2] === longitude) return
    if (this.gathered === GATHERED) yield* this.compare()
    spots.set([time, latitude, longitude], this.gathered * SPOT_NUMBERS)
    this.points.set(earthPoint(latitude, longitude), this.gathered * 3)
    this.gathered += 1
  }

  /** Returns the nearest position of each place. Null: there was none. */
  *all(): Steps<(place: number) => Spot | null> {
    yield* this.compare()
    return (place) => {
      if (this.squares[place] === Number.POSITIVE_INFINITY) return null
      const [time, latitude, longitude] = this.found.subarray(place * SPOT_NUMBERS)
      return { time: time!, latitude: latitude!, longitude: longitude! }
    }
  }

  private *compare(): Steps<void> {
    const { places, squares, found, points, spots } = this
    if (this.gathered === 0) return
    const items = Uint32Array.from({ length: this.gathered }, (_, index) => index)
    this.gathered = 0
    const tree = yield* BoxTree.around({ points, items, span: 0 })
    for (let place = 0; place < squares.length; place += 1) {
      const nearest: Nearest = { square: squares[place]!, item: -1, part: 0 }
      const at = place * 3
      yield* tree.search([places[at]!, places[at + 1]!, places[at + 2]!], nearest)
      yield
      // One that is as near as an earlier one does not count.
      if (nearest.item === -1) continue
      squares[place] = nearest.square
      const spot = nearest.item * SPOT_NUMBERS
      found.set(spots.subarray(spot, spot + SPOT_NUMBERS), place * SPOT_NUMBERS)
    }
  }
}

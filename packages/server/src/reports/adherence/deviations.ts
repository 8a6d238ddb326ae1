/** A time outside of the allowed deviation of a route. Times are ms since the epoch. */
export type Deviation = {
  /** The first and the last position outside. */
  readonly start: number
  readonly end: number
  /** Metres from the route. */
  readonly greatestDistance: number
}

/** A return to the route ends a deviation if it lasts longer than this. */
const RETURN_MS = 2 * 60_000

/** Collects the deviations of an object, position by position. There is at most one for each `RETURN_MS`. */
export class Deviations {
  private readonly deviation: number
  private readonly ended: Deviation[] = []
  private open: { start: number; end: number; greatestDistance: number } | null = null

  /** `deviation`: metres. */
  constructor(deviation: number) {
    this.deviation = deviation
  }

  /** `distance`: metres from the route. */
  add(time: number, distance: number): void {
    const { open } = this
    if (distance > this.deviation) {
      if (open === null) {
        this.open = { start: time, end: time, greatestDistance: distance }
      } else {
        open.end = time
        open.greatestDistance = Math.max(open.greatestDistance, distance)
      }
    } else if (open !== null && time - open.end > RETURN_MS) {
      this.ended.push(open)
      this.open = null
    }
  }

  all(): Deviation[] {
    return this.open === null ? this.ended : [...this.ended, this.open]
  }
}

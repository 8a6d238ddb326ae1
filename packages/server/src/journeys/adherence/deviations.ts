/** A time outside of the allowed deviation of a route. Times are ms since the epoch. */
export type Deviation = {
  /** The first and the last position outside. */
  readonly start: number
  readonly end: number
  /** The part of it in silences, ms: nobody knows where the object was. */
  readonly silentTime: number
  /** Metres from the route. */
  readonly greatestDistance: number
}

/** A return to the route ends a deviation if it lasts longer than this. */
const RETURN_MS = 2 * 60_000

type Opened = { -readonly [Field in keyof Deviation]: Deviation[Field] }

/** Collects the deviations of an object, position by position. There is at most one for each `RETURN_MS`. */
export class Deviations {
  private readonly deviation: number
  private readonly ended: Deviation[] = []
  private open: Opened | null = null
  /** The silences since the end of the open deviation. */
  private silentSince = 0

  /** `deviation`: metres. */
  constructor(deviation: number) {
    this.deviation = deviation
  }

  /** `distance`: metres from the route. `silentTime`: the part of the time since the position before in silences. */
  add(time: number, distance: number, silentTime: number): void {
    const { open } = this
    this.silentSince += silentTime
    if (distance > this.deviation) {
      if (open === null) {
        this.open = { start: time, end: time, silentTime: 0, greatestDistance: distance }
      } else {
        open.end = time
        open.silentTime += this.silentSince
        open.greatestDistance = Math.max(open.greatestDistance, distance)
      }
      this.silentSince = 0
    } else if (open !== null && time - open.end > RETURN_MS) {
      this.ended.push(open)
      this.open = null
    }
  }

  all(): Deviation[] {
    return this.open === null ? this.ended : [...this.ended, this.open]
  }
}

import type { Spot } from './spot.ts'
import { STRETCHES, type Stretch } from './street-network.ts'
import type { StreetKind } from './streets.ts'

/** The stretches from one spot to another. The first and the last are driven in part. */
export type Way = { from: Spot; to: Spot; stretches: Stretch[] }

/** Seconds for a crossing on average, and metres per second between crossings. */
const PACE: Record<StreetKind, { crossing: number; speed: number }> = {
  street: { crossing: 9, speed: 7.5 },
  avenue: { crossing: 7, speed: 11 },
  ronda: { crossing: 0, speed: 20 },
}

/** For each destination asked for: the stretch to take after each stretch. */
const guides = new Map<Stretch, (Stretch | undefined)[]>()

/** The fastest way, as a driver who knows the city would take it. */
export function wayBetween(from: Spot, to: Spot): Way {
  if (from.stretch === to.stretch && from.at < to.at) return { from, to, stretches: [to.stretch] }
  const guide = guideTo(to.stretch)
  const stretches = [from.stretch]
  let stretch = from.stretch
  do {
    stretch = guide[stretch.index]!
    stretches.push(stretch)
  } while (stretch !== to.stretch)
  return { from, to, stretches }
}

/** The turn in degrees from a stretch into the next: 0 is straight on, positive is right. */
export function turnBetween(before: Stretch, after: Stretch): number {
  return ((after.heading - before.heading + 540) % 360) - 180
}

function guideTo(destination: Stretch): (Stretch | undefined)[] {
  const known = guides.get(destination)
  if (known !== undefined) return known
  const seconds = new Array<number>(STRETCHES.length).fill(Number.POSITIVE_INFINITY)
  const guide = new Array<Stretch | undefined>(STRETCHES.length)
  const open: Stretch[] = []
  const reach = (stretch: Stretch, remaining: number) => {
    for (const previous of stretch.previous) {
      const cost = remaining + turnSeconds(previous, stretch)
      if (cost >= seconds[previous.index]!) continue
      seconds[previous.index] = cost
      guide[previous.index] = stretch
      open.push(previous)
    }
  }
  reach(destination, 0)
  // A queue instead of a heap: the network is small and its stretches have similar lengths.
  for (let i = 0; i < open.length; i++) {
    const stretch = open[i]!
    const { crossing, speed } = PACE[stretch.street.kind]
    reach(stretch, seconds[stretch.index]! + crossing + stretch.length / speed)
  }
  guides.set(destination, guide)
  return guide
}

function turnSeconds(before: Stretch, after: Stretch): number {
  const turn = Math.abs(turnBetween(before, after))
  if (turn > 170) return 90
  return turn > 30 ? 8 : 0
}

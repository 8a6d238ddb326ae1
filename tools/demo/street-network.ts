import { bearing, between, distance, type Point } from './plane.ts'
import { STREETS, type Street, type StreetKind } from './streets.ts'

/** A stretch of street from one crossing to the next, in one direction. */
export type Stretch = {
  index: number
  street: Street
  /** Whether it runs in the direction of the street's line. */
  forward: boolean
  from: Point
  to: Point
  /** Meters. */
  length: number
  /** Degrees. */
  heading: number
  /** Meters along the street's line at `from` and at `to`. */
  lineFrom: number
  lineTo: number
  /** The stretches that begin where this one ends, and those that end where it begins. */
  next: Stretch[]
  previous: Stretch[]
  /** Whether streets cross at its end, so that a traffic light may be there. */
  crossing: boolean
}

type Segment = { street: Street; from: Point; to: Point; lineFrom: number }

type Cut = { node: Point; lineAt: number }

/** Crossings closer than this are one. */
const SAME_CROSSING = 12

/** All stretches that can be reached from everywhere, and from which everywhere can be reached. */
export const STRETCHES: readonly Stretch[] = connect(STREETS.flatMap(cutAtCrossings()))

function cutAtCrossings(): (street: Street) => Stretch[] {
  const segments = STREETS.flatMap(segmentsOf)
  const nodes: Point[] = []
  const nodeAt = (point: Point) => {
    const known = nodes.find((node) => distance(node, point) < SAME_CROSSING)
    if (known === undefined) nodes.push(point)
    return known ?? point
  }
  return (street) => {
    const cuts = segments
      .filter((segment) => segment.street === street)
      .flatMap((segment) => cutsOf(segment, segments))
      .sort((a, b) => a.lineAt - b.lineAt)
      .map(({ node, lineAt }) => ({ node: nodeAt(node), lineAt }))
      .filter(({ node }, i, all) => node !== all[i - 1]?.node)
    return cuts.slice(1).flatMap((to, i) => stretchesBetween(street, cuts[i]!, to))
  }
}

function segmentsOf(street: Street): Segment[] {
  let lineFrom = 0
  return street.line.slice(1).map((to, i) => {
    const from = street.line[i]!
    const segment = { street, from, to, lineFrom }
    lineFrom += distance(from, to)
    return segment
  })
}

/** Where other segments meet a segment, and its own ends. A street in one direction is straight between crossings. */
function cutsOf(segment: Segment, all: Segment[]): Cut[] {
  const length = distance(segment.from, segment.to)
  const cuts = all
    .filter((other) => other.street !== segment.street)
    .map((other) => meeting(segment, other))
    .filter((part) => part !== undefined)
    .map((part) => ({
      node: between(segment.from, segment.to, part),
      lineAt: segment.lineFrom + part * length,
    }))
  if (segment.street.traffic === 'both') {
    cuts.push({ node: segment.from, lineAt: segment.lineFrom })
    cuts.push({ node: segment.to, lineAt: segment.lineFrom + length })
  }
  return cuts
}

/** The share of the first segment's length at which the second one meets it. */
function meeting(one: Segment, other: Segment): number | undefined {
  const a = { x: one.to.along - one.from.along, y: one.to.up - one.from.up }
  const b = { x: other.to.along - other.from.along, y: other.to.up - other.from.up }
  const cross = a.x * b.y - a.y * b.x
  if (cross === 0) return undefined
  const d = { x: other.from.along - one.from.along, y: other.from.up - one.from.up }
  const part = (d.x * b.y - d.y * b.x) / cross
  const otherPart = (d.x * a.y - d.y * a.x) / cross
  return part >= 0 && part <= 1 && otherPart >= 0 && otherPart <= 1 ? part : undefined
}

function stretchesBetween(street: Street, a: Cut, b: Cut): Stretch[] {
  const stretch = (from: Cut, to: Cut, forward: boolean): Stretch => ({
    index: 0,
    street,
    forward,
    from: from.node,
    to: to.node,
    length: distance(from.node, to.node),
    heading: bearing(from.node, to.node),
    lineFrom: from.lineAt,
    lineTo: to.lineAt,
    next: [],
    previous: [],
    crossing: false,
  })
  return [
    ...(street.traffic === 'backward' ? [] : [stretch(a, b, true)]),
    ...(street.traffic === 'forward' ? [] : [stretch(b, a, false)]),
  ]
}

/** Links stretches, without dead ends and without those that nothing leads to. */
function connect(stretches: Stretch[]): Stretch[] {
  const beginning = Map.groupBy(stretches, (stretch) => stretch.from)
  for (const stretch of stretches) {
    stretch.next = beginning.get(stretch.to) ?? []
    stretch.crossing = new Set(stretch.next.map((next) => next.street)).size > 1
    for (const next of stretch.next) next.previous.push(stretch)
  }
  const hub = stretches.find((stretch) => stretch.street.kind === 'avenue')!
  const ahead = reached(hub, (stretch) => stretch.next)
  const behind = reached(hub, (stretch) => stretch.previous)
  const kept = stretches.filter((stretch) => ahead.has(stretch) && behind.has(stretch))
  const isKept = new Set(kept)
  kept.forEach((stretch, index) => {
    stretch.index = index
    stretch.next = stretch.next.filter((next) => isKept.has(next))
    stretch.previous = stretch.previous.filter((previous) => isKept.has(previous))
  })
  return kept
}

function reached(start: Stretch, neighbours: (stretch: Stretch) => Stretch[]): Set<Stretch> {
  const seen = new Set([start])
  for (const stretch of seen) for (const neighbour of neighbours(stretch)) seen.add(neighbour)
  return seen
}

/** A place at the kerb. */
export type Spot = {
  stretch: Stretch
  /** Meters from the beginning of the stretch. */
  at: number
  point: Point
}

/** The spot in front of a house, by its address. */
export function spotAt(street: string, number: number): Spot {
  for (const stretch of STRETCHES) {
    if (stretch.street.name !== street) continue
    const { firstNumber, metresPerNumber } = stretch.street
    const line = (number - (firstNumber ?? 0)) * metresPerNumber
    const part = (line - stretch.lineFrom) / (stretch.lineTo - stretch.lineFrom)
    if (part >= 0 && part <= 1) return spotOn(stretch, part * stretch.length)
  }
  throw new RangeError(`${street} has no number ${number}`)
}

/** The spot at this many meters into a stretch. */
export function spotOn(stretch: Stretch, at: number): Spot {
  return { stretch, at, point: between(stretch.from, stretch.to, at / stretch.length) }
}

/** Meters along the line of the street, at this many meters into a stretch. */
export function alongLine({ lineFrom, lineTo, length }: Stretch, at: number): number {
  return lineFrom + (lineTo - lineFrom) * (at / Math.max(length, 1))
}

/** The stretches from one spot to another. The first and the last are driven in part. */
export type Way = { from: Spot; to: Spot; stretches: Stretch[] }

/** Seconds for a crossing on average, and meters per second between crossings. */
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

import type { Random } from '../../packages/server/testing/random.ts'
import { type Stretch, turnBetween, type Way } from './street-network.ts'
import type { StreetKind } from './streets.ts'

/** A driven way with every change of speed, so that any moment can be asked for. */
export type Leg = {
  seconds: number
  /** Millimeters. */
  length: number
  /** Whole seconds after the start at which a corner has just been turned. */
  corners: number[]
  at(seconds: number): Sighting
}

/** A vehicle's place and motion. */
export type Sighting = {
  stretch: Stretch
  /** Meters into the stretch. */
  at: number
  /** Meters per second. */
  speed: number
  /** Millimeters driven since the start of the leg. */
  driven: number
}

/** A phase of constant acceleration: seconds and meters since the start, m/s, m/s². */
type Phase = { time: number; driven: number; speed: number; acceleration: number }

/** A part of the leg on one stretch. Meters since the start of the leg, and into the stretch. */
type Piece = { stretch: Stretch; start: number; enter: number; length: number; cruise: number }

/** The end of a piece: the highest speed (m/s), and the wait at a red light in seconds. */
type Exit = { speed: number; wait: number; corner: boolean }

/** m/s². */
const ACCELERATION = 1.3
const BRAKING = 1.6

/** After this many meters without a crossing, traffic changes its speed. */
const STEADY_METRES = 220

/** Cruising speeds in m/s, the probability of a red light, and its longest wait in seconds. */
const TRAFFIC: Record<StreetKind, { slow: number; fast: number; red: number; wait: number }> = {
  street: { slow: 6.5, fast: 9.5, red: 0.3, wait: 40 },
  avenue: { slow: 10, fast: 13.9, red: 0.24, wait: 50 },
  ronda: { slow: 17.5, fast: 22, red: 0, wait: 0 },
}

export function drive(way: Way, random: Random): Leg {
  const pieces = piecesOf(way, random)
  const exits = pieces.map((piece, i) => exitOf(piece, pieces[i + 1], random))
  limitToBraking(pieces, exits)
  const phases: Phase[] = []
  const corners: number[] = []
  let time = 0
  let speed = 0
  pieces.forEach((piece, i) => {
    const exit = exits[i]!
    time = traverse(phases, piece, time, speed, exit.speed)
    if (exit.corner) corners.push(Math.ceil(time + 1))
    if (exit.wait > 0) {
      phases.push({ time, driven: piece.start + piece.length, speed: 0, acceleration: 0 })
      time += exit.wait
    }
    speed = exit.speed
  })
  const last = pieces.at(-1)!
  const metres = last.start + last.length
  phases.push({ time, driven: metres, speed: 0, acceleration: 0 })
  const length = Math.floor(metres * 1000)
  return {
    seconds: Math.ceil(time) + 3,
    length,
    corners,
    at: (seconds) => sight(phases, pieces, length, seconds),
  }
}

function piecesOf({ from, to, stretches }: Way, random: Random): Piece[] {
  const pieces: Piece[] = []
  let start = 0
  stretches.forEach((stretch, i) => {
    const { slow, fast } = TRAFFIC[stretch.street.kind]
    const last = i === stretches.length - 1 ? to.at : stretch.length
    const first = i === 0 ? from.at : 0
    const count = Math.ceil((last - first) / STEADY_METRES)
    const length = (last - first) / count
    for (let k = 0; k < count; k++) {
      const enter = first + k * length
      pieces.push({ stretch, start, enter, length, cruise: random.between(slow, fast) })
      start += length
    }
  })
  return pieces
}

function exitOf(piece: Piece, next: Piece | undefined, random: Random): Exit {
  if (next === undefined) return { speed: 0, wait: 0, corner: false }
  const sameStretch = piece.stretch === next.stretch
  const turn = Math.abs(turnBetween(piece.stretch, next.stretch))
  const corner = turn > 30
  const { red, wait } = TRAFFIC[piece.stretch.street.kind]
  if (!sameStretch && piece.stretch.crossing && piece.length > 40 && random.chance(red)) {
    return { speed: 0, wait: random.between(3, wait), corner }
  }
  const eased = turn > 120 ? 2.5 : turn > 60 ? 4.5 : corner ? 7.5 : Number.POSITIVE_INFINITY
  return { speed: Math.min(eased, piece.cruise, next.cruise), wait: 0, corner }
}

/** Limits each exit speed to what the piece allows, and to what the next one can brake from. */
function limitToBraking(pieces: Piece[], exits: Exit[]): void {
  let speed = 0
  pieces.forEach((piece, i) => {
    const exit = exits[i]!
    exit.speed = Math.min(exit.speed, Math.sqrt(speed ** 2 + 2 * ACCELERATION * piece.length))
    speed = exit.speed
  })
  for (let i = pieces.length - 1; i > 0; i--) {
    const brakingFrom = Math.sqrt(exits[i]!.speed ** 2 + 2 * BRAKING * pieces[i]!.length)
    exits[i - 1]!.speed = Math.min(exits[i - 1]!.speed, brakingFrom)
  }
}

/** Adds the phases of one piece: speeding up, cruising, braking. Returns the time at its end. */
function traverse(
  phases: Phase[],
  piece: Piece,
  startTime: number,
  entry: number,
  exit: number,
): number {
  const { start, length } = piece
  const reachable =
    (2 * ACCELERATION * BRAKING * length + BRAKING * entry ** 2 + ACCELERATION * exit ** 2) /
    (ACCELERATION + BRAKING)
  const peak = Math.max(entry, exit, Math.min(piece.cruise, Math.sqrt(reachable)))
  const speedingUp = (peak ** 2 - entry ** 2) / (2 * ACCELERATION)
  const braking = (peak ** 2 - exit ** 2) / (2 * BRAKING)
  const cruising = Math.max(0, length - speedingUp - braking)
  let time = startTime
  phases.push({ time, driven: start, speed: entry, acceleration: ACCELERATION })
  time += (peak - entry) / ACCELERATION
  phases.push({ time, driven: start + speedingUp, speed: peak, acceleration: 0 })
  time += cruising / peak
  phases.push({ time, driven: start + speedingUp + cruising, speed: peak, acceleration: -BRAKING })
  return time + (peak - exit) / BRAKING
}

function sight(phases: Phase[], pieces: Piece[], length: number, seconds: number): Sighting {
  const phase = phases[lastAtMost(phases, (each) => each.time, seconds)]!
  const since = seconds - phase.time
  const speed = Math.max(0, phase.speed + phase.acceleration * since)
  const metres = phase.driven + ((phase.speed + speed) / 2) * since
  const piece = pieces[lastAtMost(pieces, (each) => each.start, metres)]!
  const { stretch } = piece
  return {
    stretch,
    at: Math.min(piece.enter + metres - piece.start, stretch.length),
    speed,
    driven: Math.min(length, Math.floor(metres * 1000)),
  }
}

/** The last of ascending items at or before a value; the first item if none is. */
function lastAtMost<T>(items: T[], read: (item: T) => number, value: number): number {
  let low = 0
  let high = items.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (read(items[middle]!) <= value) low = middle
    else high = middle - 1
  }
  return low
}

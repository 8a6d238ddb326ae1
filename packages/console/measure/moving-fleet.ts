import type { LiveObjects } from '../src/api/types.ts'

export type LiveObject = LiveObjects['items'][number]

/** Where a part of the fleet is at home, and how far around it is spread, in degrees. */
export type City = { longitude: number; latitude: number; share: number; spread: number }

/** Four cities, far apart. */
export const CITIES: City[] = [
  { longitude: 28.98, latitude: 41.02, share: 0.4, spread: 0.22 },
  { longitude: 32.86, latitude: 39.93, share: 0.25, spread: 0.22 },
  { longitude: 13.4, latitude: 52.52, share: 0.2, spread: 0.22 },
  { longitude: 2.35, latitude: 48.86, share: 0.15, spread: 0.22 },
]

const METERS_PER_DEGREE = 111_320

/** Objects that drive about in and around cities. The same with every run. */
export type MovingFleet = {
  all(): LiveObject[]
  /** Lets this many of them drive on, in turn, and returns where they are. */
  move(count: number, now: number): LiveObject[]
}

export function movingFleet(size: number, cities: City[]): MovingFleet {
  const random = seeded(7)
  const objects: LiveObject[] = []
  for (const { longitude, latitude, share, spread } of cities) {
    for (let at = 0; at < size * share && objects.length < size; at++) {
      const away = spread * Math.sqrt(-2 * Math.log(1 - random()))
      const turn = random() * 2 * Math.PI
      objects.push([
        objects.length + 1,
        longitude + away * Math.cos(turn),
        latitude + away * 0.7 * Math.sin(turn),
        Math.floor(random() * 360),
        20 + Math.floor(random() * 60),
        'moving',
        Date.now(),
      ])
    }
  }
  let next = 0
  const lastMoved = new Float64Array(size + 1).fill(Date.now())

  function drive(object: LiveObject, now: number): void {
    const [id, longitude, latitude, heading, speed] = object
    const meters = ((speed ?? 0) / 3.6) * Math.min(15, (now - lastMoved[id]!) / 1000)
    lastMoved[id] = now
    const turned = ((heading ?? 0) + (random() - 0.5) * 30 + 360) % 360
    const radians = (turned * Math.PI) / 180
    object[1] =
      longitude +
      (meters * Math.sin(radians)) / METERS_PER_DEGREE / Math.cos((latitude * Math.PI) / 180)
    object[2] = latitude + (meters * Math.cos(radians)) / METERS_PER_DEGREE
    object[3] = Math.round(turned)
    // One in ten changes how it moves, so that counts and shapes change as well.
    if (random() < 0.1) object[5] = random() < 0.75 ? 'moving' : random() < 0.5 ? 'idle' : 'stopped'
    object[6] = now
  }

  return {
    all: () => objects,
    move(count, now) {
      const moved: LiveObject[] = []
      for (let step = 0; step < count; step++) {
        const object = objects[next]!
        next = (next + 1) % objects.length
        drive(object, now)
        moved.push(object)
      }
      return moved
    },
  }
}

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

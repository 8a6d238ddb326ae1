import type { Clock } from '../domain/clock.ts'
import type { Tracking } from '../domain/track.ts'
import { advance } from './advance.ts'
import { judge } from './judge.ts'
import { prefer } from './prefer.ts'

/** The rules by which packets become positions. */
export function trackingRules(clock: Clock): Tracking {
  return { judge: (object, fix) => judge(object, fix, clock.now()), advance, prefer }
}

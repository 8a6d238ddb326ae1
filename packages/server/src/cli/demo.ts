import type { Logger } from '../api/request-log.ts'
import { type DemoAccess, issueDemoAccess } from '../demo/demo-key.ts'
import type { Driving } from '../demo/driving.ts'
import { fillDemo } from '../demo/fill.ts'
import { systemClock } from '../domain/clock.ts'
import { UNSEEN } from '../domain/object-state.ts'
import type { TrackedObject } from '../domain/tracked-object.ts'
import type { Store } from '../store/store.ts'
import { trackingRules } from '../tracking/rules.ts'
import { say } from './failure.ts'

/** The simulated fleet in a server. */
export type Demo = DemoAccess & {
  /** An object that is interesting to look at, and one whose tracker is silent. */
  first: TrackedObject
  silent: TrackedObject | undefined
  /** Makes the vehicles report to the feed at this address from now on, like real ones. */
  drive(feed: string, logger: Logger): Promise<Driving>
}

/** Brings the simulated fleet up to date and issues its secrets. */
export async function prepareDemo(store: Store): Promise<Demo> {
  say('driving the demo fleet through its last 7 days')
  const { organization, ...driven } = await fillDemo(store, systemClock, trackingRules(systemClock))
  const access = await issueDemoAccess(store, organization, systemClock)
  const objects = await store.objects.list(organization)
  const states = await store.positions.states(organization)
  return {
    ...access,
    first: objects[0]!,
    silent: objects.find(({ id }) => (states.get(id) ?? UNSEEN).timeServer === null),
    async drive(feed, logger) {
      // Loaded on demand, because it lays out streets.
      const { keepDriving } = await import('../demo/driving.ts')
      return keepDriving({ origin: feed, token: access.feedToken }, systemClock, driven, (error) =>
        logger.error({ err: error }, 'the demo fleet could not report; it tries again in 5 s'),
      )
    },
  }
}

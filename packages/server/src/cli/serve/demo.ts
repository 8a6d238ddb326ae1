import type { Logger } from '../../api/request-log.ts'
import type { MonitoredObject } from '../../domain/monitored-object.ts'
import { UNSEEN } from '../../domain/position/object-state.ts'
import type { Clock } from '../../domain/time/clock.ts'
import type { Driving } from '../../simulated/demo/driving.ts'
import { type DemoAccess, fillDemo, issueDemoAccess } from '../../simulated/demo/fill.ts'
import type { Store } from '../../store/store.ts'
import { foldRules } from '../../tracking/rules/fold-rules.ts'
import { say } from '../failure.ts'

/** The simulated fleet in a server. */
export type Demo = DemoAccess & {
  /** An object that drives now, and one whose tracker is silent. */
  first: MonitoredObject
  silent: MonitoredObject | undefined
  /** Makes the vehicles report to the feed at this address from now on, like real ones. */
  drive(feed: string, logger: Logger): Promise<Driving>
}

/** Brings the simulated fleet up to date and issues its secrets. */
export async function prepareDemo(store: Store, clock: Clock): Promise<Demo> {
  say('driving the demo fleet through its last 7 days')
  const { organization, first, ...driven } = await fillDemo(store, clock, foldRules(clock))
  const access = await issueDemoAccess(store, organization, clock)
  const objects = await store.objects.list(organization)
  const states = await store.positions.states(organization)
  return {
    ...access,
    first: objects.find(({ ident }) => ident === first) ?? objects[0]!,
    silent: objects.find(({ id }) => (states.get(id) ?? UNSEEN).timeServer === null),
    async drive(feed, logger) {
      // Loaded on demand, because it lays out streets.
      const { startDriving: keepDriving } = await import('../../simulated/demo/driving.ts')
      return keepDriving({ origin: feed, token: access.feedToken }, clock, driven, (error) =>
        logger.error({ err: error }, 'the demo fleet could not report; it tries again in 5 s'),
      )
    },
  }
}

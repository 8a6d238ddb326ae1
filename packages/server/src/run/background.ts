import type { Registry } from 'prom-client'
import { addAll } from '../base/domain/common/any-number.ts'
import type { Directory } from '../data/cache/directory.ts'
import type { DisclosureCounts } from '../data/usage/disclosure-counts.ts'
import { Deriver } from '../engine/journeys/deriver.ts'
import { type Repeated, thinnedFailures, waitUnlessAborted } from '../engine/repeat.ts'
import { foldRules } from '../engine/tracking/rules/advance.ts'
import { recomputeSeries, recordSeries, webhookSeries } from '../faces/admin/metrics.ts'
import { packingSeries } from '../faces/admin/packing-series.ts'
import { type Addressees, type Addressing, startAddressing } from '../work/tasks/addressing.ts'
import { startReconciling } from '../work/tasks/reconciling.ts'
import { type PackingPass, startPacking, startRefolding } from '../work/tasks/refold-and-pack.ts'
import {
  startChangesRetention,
  startRetention,
  startUsageRetention,
} from '../work/tasks/retention.ts'
import { startWebhooks } from '../work/webhooks/deliverer.ts'
import type { Current, Parts, ServeSettings } from './serve-settings.ts'

/** The work of a process alongside its requests. */
export type Background = {
  /** Finds addresses until no packets come in any more, so `stop` does not stop it. Null if nothing does. */
  addressing: Addressing | null
  /** The last pass of packing. Null: there was none yet, or another process packs. */
  lastPacking(): PackingPass | null
  stop(): Promise<void>
}

/** The metrics and the disclosures of a process. */
type Counted = { metrics: { registry: Registry }; disclosures: Pick<DisclosureCounts, 'of'> }

/** Whether a process does all background work. One that shares the data with others does so with the role `feed`. */
export function hasAllBackground({ roles }: ServeSettings, { shared }: Parts): boolean {
  return shared === null || roles.includes('feed')
}

/**
 * Starts the background work of a process: all of it, or only the comparison of live states with stored ones.
 * `maxDeliveries`: those to webhooks that may be under way at once.
 */
export async function startBackground(
  settings: ServeSettings,
  parts: Parts,
  { directory, changeWatch, views, joinedChanges }: Current,
  { metrics: { registry }, disclosures }: Counted,
  maxDeliveries: number,
): Promise<Background> {
  const records = recordSeries(registry)
  const running: (Pick<Repeated, 'stop'> | null)[] = [reconcile(parts, directory)]
  let addressing: Addressing | null = null
  let packing: PackingPass | null = null
  if (hasAllBackground(settings, parts)) {
    addressing = findAddresses(parts, directory)
    const { store, realtime, geocoder, clock, logger } = parts
    const webhooks = startWebhooks({
      ...{ store, views, joinedChanges, directory, changeWatch, realtime, clock, logger },
      secret: await store.secret(),
      knownAddresses: geocoder?.known ?? null,
      disclosures: disclosures.of('webhook'),
      counts: webhookSeries(registry),
      allowedNetworks: settings.webhookNetworks,
      maxDeliveries,
    })
    const deriver = new Deriver({
      ...{ store, changeWatch, clock, derived: records.derived, wait: waitUnlessAborted },
      failedTask: (organization, { kind, id, error }) =>
        logger.error(
          { organization, kind, id, error },
          'records of an object or visits to a place cannot be derived; retrying with increasing delays',
        ),
      failed: thinnedFailures(
        reporting(parts, 'records cannot be derived at the moment; retrying every second'),
      ),
    })
    records.follow(deriver)
    recomputeSeries(registry, () => store.positions.waitingForRefold(null))
    const show = packingSeries(registry)
    const passed = (pass: PackingPass) => {
      packing = pass
      show(pass)
    }
    addAll(running, [...keepUp(parts, settings.changesDays, passed), webhooks, deriver])
  }
  return {
    addressing,
    lastPacking: () => packing,
    async stop() {
      await Promise.all(running.map((each) => each?.stop()))
    },
  }
}

/** Runs in every process, because any of them may be the last one left. */
function reconcile(parts: Parts, directory: Directory): Repeated | null {
  if (parts.shared === null) return null
  return startReconciling(
    parts.shared,
    directory.organizationIds,
    reporting(parts, 'live states could not be compared with what is stored; retrying in 5 s'),
  )
}

/** The loops that delete what has expired, pack and fold again. */
function keepUp(
  parts: Parts,
  changesDays: number,
  passed: (pass: PackingPass) => void,
): Repeated[] {
  const { store, clock } = parts
  return [
    startRetention(
      store,
      clock,
      reporting(parts, 'expired positions could not be deleted; retrying in an hour'),
    ),
    startUsageRetention(
      store,
      clock,
      reporting(parts, 'old counts of usage could not be deleted; retrying in an hour'),
    ),
    startChangesRetention(
      store.changeLog,
      changesDays,
      clock,
      reporting(parts, 'old changes could not be deleted; retrying in an hour'),
    ),
    startPacking(
      store,
      clock,
      passed,
      reporting(parts, 'old positions could not be packed; retrying in an hour'),
    ),
    startRefolding(
      store,
      foldRules(clock),
      clock,
      reporting(parts, 'positions could not be recalculated; retrying now'),
    ),
  ]
}

function findAddresses(parts: Parts, directory: Directory): Addressing | null {
  const { store, geocoder } = parts
  if (geocoder === null) return null
  return startAddressing(
    store,
    geocoder,
    addresseesOf(directory),
    reporting(parts, 'addresses of deleted objects could not be dropped; retrying in a minute'),
  )
}

/** Logs an error with what it means. */
function reporting({ logger }: Parts, meaning: string): (error: unknown) => void {
  return (error) => logger.error({ err: error }, meaning)
}

/** The part of the directory that addressing needs. */
function addresseesOf(directory: Directory): Addressees {
  return {
    async languageOf(organization) {
      return (await directory.organization(organization))?.language ?? 'en'
    },
    async owned(id, objects) {
      await directory.catchUp()
      const fleet = await directory.fleetOf(id)
      if (fleet === null) return []
      const all = await fleet.objects()
      return objects.filter((object) => all.has(object))
    },
  }
}

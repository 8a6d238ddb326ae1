import { type Fleet, type FleetOrganization, startFleet } from './fleet.ts'
import { TEMPLATE_VARIABLE, WHOLE_SIZE } from './make-fleet.ts'
import { type Organization, withRoom } from './organization.ts'

/** Enough for any one file. */
const SMALL_SIZE = { full: 2, plain: 10 }

let started: Promise<Fleet> | undefined
let files = 0

/**
 * The fleet of all files of a process that neither restart nor configure their server: `run.ts` runs these
 * files in one process. Files share the `full` organizations, and change only those that they take. The files
 * share windows too, so a request waits for room. Each file begins with the next of the `full` ones, so that few wait.
 */
export async function sharedFleet(): Promise<Omit<Fleet, 'restart'>> {
  started ??= startFleet(process.env[TEMPLATE_VARIABLE] === undefined ? SMALL_SIZE : WHOLE_SIZE)
  const fleet = await started
  files += 1
  const first = files % fleet.full.length
  const full = [...fleet.full.slice(first), ...fleet.full.slice(0, first)]
  return {
    ...fleet,
    full: full.map(patient),
    take: (): FleetOrganization => patient(fleet.take()),
  }
}

function patient<Caller extends Organization>(organization: Caller): Caller {
  return {
    ...organization,
    async get(path, options) {
      await withRoom([organization])
      return organization.get(path, options)
    },
  }
}

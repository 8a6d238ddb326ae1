import { toJson } from '../../../base/domain/common/plain-json.ts'
import { type SharedWork, sharedWork } from '../../../base/domain/common/shared-work.ts'
import type { Credential } from '../../../base/domain/credential.ts'
import type { Disclosed } from '../../../base/domain/disclosure.ts'
import type { Organization } from '../../../base/domain/organization.ts'
import { motionAt, type ObjectState } from '../../../base/domain/position/object-state.ts'
import { formatInstant } from '../../../base/domain/time/time.ts'
import type { Fleet } from '../../../data/cache/fleet-cache.ts'
import type { Api } from '../../../read/api.ts'
import { DECIMALS, degrees, measure, rounded } from '../../../read/formats/number-format.ts'
import { type Sources, sourcesOf } from '../../../read/rows/scoped-sources.ts'
import { type LinkWays, openLinkWays } from './link-ways.ts'

/** The answer that viewers of a link read, and what it shows of each object. */
export type LinkAnswer = { readonly body: string; readonly disclosed: Disclosed }

/** `withWays`: with the ways too, if the link shows them. `gone`: aborts when the viewer has left. */
export type ReadLink = (
  link: Credential,
  fleet: Fleet,
  withWays: boolean,
  gone: AbortSignal,
) => Promise<LinkAnswer>

/** Objects of an answer. Of a link with more, it says how many are left out. */
const MAX_OBJECTS = 1_000
/** Viewers of a link within this time get the same answer from memory. */
const SHARED_MS = 1_000
/** Answers in memory. */
const MAX_SHARED = 1_000

/** Reads links through the scoped sources of keys, so that a link shows what a key with its scope would. */
export function openLinkAnswers(api: Api): ReadLink {
  const shared = new Map<string, { until: number; answer: SharedWork<LinkAnswer> }>()
  const ways = openLinkWays(api.clock)

  return (link, fleet, withWays, gone) => {
    const name = `${link.id} ${withWays}`
    const now = api.clock.now()
    const known = shared.get(name)
    if (known !== undefined && now < known.until) return known.answer.wait(gone)
    const sources = sourcesOf(api, fleet, link.scope)
    const shownWays = withWays && link.waySince !== null ? ways : null
    const forget = () => {
      if (shared.get(name)?.answer === answer) shared.delete(name)
    }
    const answer = sharedWork((left) => answerOf(sources, link, shownWays, left), forget)
    shared.delete(name)
    shared.set(name, { until: now + SHARED_MS, answer })
    if (shared.size > MAX_SHARED) shared.delete(shared.keys().next().value!)
    answer.result.catch(forget)
    return answer.wait(gone)
  }
}

async function answerOf(
  sources: Sources,
  link: Credential,
  ways: LinkWays | null,
  gone: AbortSignal,
): Promise<LinkAnswer> {
  const { organization } = sources.fleet
  const now = sources.api.clock.now()
  const all = await sources.fleet.objects()
  const shown = [...all.values()].slice(0, MAX_OBJECTS)
  const states = await sources.fleet.withStates(shown)
  const wayOf = ways === null ? null : await ways(sources, link, states, gone)
  const seen = states.filter(({ state }) => state.lastFix !== null)
  const body = toJson({
    name: link.name,
    until: formatInstant(link.expiresAt!),
    distance_unit: organization.distanceUnit,
    ...(all.size > shown.length && { left_out: all.size - shown.length }),
    objects: states.map(({ object, state }) => ({
      name: object.name,
      latest: latestOf(state, organization, now),
      ...(wayOf !== null && { way: wayOf(object.id) }),
    })),
  })
  const objects = seen.map(({ object }) => object.id)
  const rows = objects.map((id) => 1 + (wayOf?.(id).length ?? 0))
  return { body, disclosed: { objects, ...(wayOf !== null && { rows }) } }
}

function latestOf(
  state: ObjectState,
  { distanceUnit, signalTimeoutHours }: Organization,
  now: number,
) {
  const { lastFix } = state
  if (lastFix === null) return null
  return {
    time: formatInstant(lastFix.timeDevice),
    latitude: degrees(lastFix.latitude),
    longitude: degrees(lastFix.longitude),
    speed: measure(lastFix.speed, distanceUnit),
    angle: rounded(lastFix.angle, DECIMALS.measure),
    motion: motionAt(state, now, signalTimeoutHours),
  }
}

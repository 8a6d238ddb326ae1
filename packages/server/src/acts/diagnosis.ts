import { stateOf } from '../base/domain/credential.ts'
import { type MonitoredObject, withOwnSettings } from '../base/domain/monitored-object.ts'
import { motionAt, UNSEEN } from '../base/domain/position/object-state.ts'
import { isPrivate } from '../base/domain/private-hours.ts'
import { DEPLOYMENT } from '../base/domain/routing-rule.ts'
import { formatInstant, HOUR_MS, MINUTE_MS } from '../base/domain/time/time.ts'
import type { Store } from '../engine/store/store.ts'
import { CLOCK_FAULTS } from '../engine/tracking/rules/judge.ts'
import { type ActCall, acts, OVERSEERS, objectOf, organizationOf } from './act.ts'
import * as doc from './document-schema.ts'
import { MOTION } from './object-bodies.ts'
import { rejectDocument } from './reject-bodies.ts'

/*
 * Why a vehicle does not move: one check for each place in which an operator would look, in this order.
 */

const CHECKS = [
  lastReject,
  similarIdent,
  silentSender,
  oldTimes,
  unbelievedJump,
  noise,
  ownedByOthers,
]
const CAUSES = [
  ...(['rejected', 'clock', 'retention', 'similar_ident', 'no_token', 'silent_sender'] as const),
  ...(['jump', 'noise', 'ownership', 'silent_device'] as const),
]

const DIAGNOSIS = doc.record(
  {
    id: doc.integer('Id of the object.'),
    ident: doc.text('Its ident.'),
    motion: MOTION,
    last_packet_at: doc.instantOrNull('When its last packet came, accepted or not. Null: never.'),
    last_position_at: doc.instantOrNull('The time of its last position. Null: there is none.'),
    last_reject_at: doc.instantOrNull('When its last rejected packet came.'),
    similar_idents: doc.texts('Idents that send and look like its own, the newest packet first.'),
    token_used_at: doc.instantOrNull(
      'When a valid feed token of the organization or of the deployment was last used, to the minute.',
    ),
    causes: doc.list(
      doc.record(
        {
          cause: doc.choice(CAUSES, 'The cause as a word.'),
          message: doc.text('The same as sentences, with what to do.'),
        },
        'Why the object does not move.',
      ),
      'The causes in the order in which to look for them. Empty: nothing keeps it from moving.',
    ),
  },
  'Why an object does not move, and what is known of its packets.',
  'Diagnosis',
)

export const DIAGNOSIS_ACTS = acts('Objects', {
  diagnoseObject: {
    method: 'GET',
    path: '/organizations/{organization}/objects/{object}/diagnosis',
    who: OVERSEERS,
    summary: 'Diagnose why an object does not move',
    answers: DIAGNOSIS,
    async run(call) {
      await call.known.writeCounts()
      const isWide = call.by.roles.some(({ organization }) => organization === null)
      return diagnose(call, isWide)
    },
  },
})

/** `isWide`: whether the caller may see what belongs to the deployment, or to other organizations. */
async function diagnose(call: ActCall, isWide: boolean) {
  const evidence = await evidenceOf(call, isWide)
  const { object, organization, state, now, reject, similar, usedAt } = evidence
  call.disclosed.state(object.id, state)
  return DIAGNOSIS.write({
    ...object,
    motion: motionAt(state, now, organization.signalTimeoutHours),
    lastPacketAt: state.timeServer,
    lastPositionAt: state.lastFix?.timeDevice ?? null,
    lastRejectAt: reject?.timeServer ?? null,
    similarIdents: similar.map(({ ident }) => ident),
    tokenUsedAt: usedAt,
    causes: CHECKS.flatMap((check) => check(evidence) ?? []).concat(silentDevice(evidence)),
  })
}

type Cause = { cause: (typeof CAUSES)[number]; message: string }
type Evidence = Awaited<ReturnType<typeof evidenceOf>>

/** Most devices send more often than this while they drive. */
const QUIET_MS = 15 * MINUTE_MS

async function evidenceOf(call: ActCall, isWide: boolean) {
  const { store, now } = call
  const organization = await organizationOf(call)
  const object = await objectOf(call)
  const state = (await store.positions.states(organization.id, [object.id])).get(object.id)
  const rejects = await store.positions.rejects(organization.id, object.id)
  const own = await store.feedTokens.list(organization.id)
  const tokens = [...own, ...(await store.deploymentTokens.list(DEPLOYMENT))]
  const valid = tokens.filter((each) => stateOf(each, now) === 'active')
  return {
    ...{ now, isWide, organization, object, valid },
    state: state ?? UNSEEN,
    isQuiet: now - (state?.timeServer ?? 0) > QUIET_MS,
    reject: rejects.find(({ isStored }) => isStored !== true),
    similar: await similarIdents(store, object, isWide),
    usedAt: valid.reduce<number | null>((newest, { lastUsedAt }) => {
      return newest === null || (lastUsedAt ?? 0) > newest ? lastUsedAt : newest
    }, null),
    owners: await store.routing.ownersOf(object.ident),
  }
}

/** Spreadsheets drop leading zeros, and people type idents as they are printed on devices. */
function plainIdent(ident: string): string {
  const letters = ident.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  return letters.replace(/^0+/, '')
}

/** Idents with a packet that differ from the object's in writing alone. Those that wait are the deployment's. */
async function similarIdents(
  store: Store,
  { organization, ident }: MonitoredObject,
  isWide: boolean,
) {
  const wanted = plainIdent(ident)
  const isSimilar = (each: { ident: string }) =>
    each.ident !== ident && plainIdent(each.ident) === wanted
  const objects = (await store.objects.list(organization)).filter(isSimilar)
  const ids = objects.map(({ id }) => id)
  const states = await store.positions.states(organization, ids)
  const sent = objects.map((each) => {
    const lastAt = states.get(each.id)?.timeServer ?? 0
    return { ident: each.ident, lastAt, where: `object ${each.id} uses it` }
  })
  const refused = (await store.refusedIdents.list(organization)).filter(isSimilar)
  const waiting = isWide ? (await store.routing.waiting()).filter(isSimilar) : []
  return [
    ...sent.filter(({ lastAt }) => lastAt > 0),
    ...refused.map((each) => ({ ...each, where: 'it is refused' })),
    ...waiting.map((each) => ({ ...each, where: 'it waits for an organization' })),
  ].sort((one, other) => other.lastAt - one.lastAt)
}

/** Its last packet was not accepted: of those of one request the newest, by their devices. */
function lastReject({ reject, state: { lastFix } }: Evidence): Cause | undefined {
  if (reject === undefined) return undefined
  const since = reject.timeServer - (lastFix?.timeServer ?? 0)
  if (since < 0 || (since === 0 && reject.fix.timeDevice < lastFix!.timeDevice)) return undefined
  const { reason, message, time_server, time_device, hdop, gps_level } = rejectDocument(reject)
  const values = { time_device, hdop, gps_level, accuracy: reject.fix.accuracy }
  const had = Object.entries(values).filter(([, value]) => value !== null)
  const isOfClock = CLOCK_FAULTS.some((fault) => fault === reason)
  const isOld = reason === 'beyond_retention'
  return {
    cause: isOfClock ? 'clock' : isOld ? 'retention' : 'rejected',
    message: `The packet received at ${time_server} was rejected: ${message}. Its values: ${had.map((each) => each.join(' ')).join(', ')}.`,
  }
}

function similarIdent({ similar, state, object }: Evidence): Cause | undefined {
  const [newest] = similar
  if (newest === undefined || newest.lastAt <= (state.timeServer ?? 0)) return undefined
  const { ident, where, lastAt } = newest
  const message = `A device with the similar ident '${ident}' last sent at ${formatInstant(lastAt)}; ${where}. This object has the ident '${object.ident}'. Set it to the ident that its device sends.`
  return { cause: 'similar_ident', message }
}

function silentSender({ valid, usedAt, isQuiet, isWide, now }: Evidence): Cause | undefined {
  if (valid.length === 0) {
    return {
      cause: 'no_token',
      message: 'There is no valid feed token, so no device can send positions.',
    }
  }
  if (!isQuiet || now - (usedAt ?? 0) <= QUIET_MS) return undefined
  const named = valid.filter(({ organization }) => isWide || organization !== DEPLOYMENT)
  const names = named.map(({ name }) => ` '${name}'`).join(',')
  const since = usedAt === null ? 'ever arrived' : `arrived since ${formatInstant(usedAt)}`
  const message = `No request with a valid feed token${names} has ${since}, from any vehicle. Check the sender, such as a Traccar server, its token and its network connection.`
  return { cause: 'silent_sender', message }
}

function oldTimes({ isQuiet, state: { lastFix, timeServer, fold }, now }: Evidence) {
  if (lastFix === null || timeServer === null || isQuiet || fold?.suspect) return undefined
  const { timeDevice } = lastFix
  const isAhead = timeDevice > now + MINUTE_MS
  const isLate = lastFix.timeServer - timeDevice > HOUR_MS
  if (!isAhead && !isLate && timeServer - lastFix.timeServer <= QUIET_MS) return undefined
  const why = isAhead
    ? 'it is in the future, which hides all older positions. The clock of the device was wrong'
    : 'the device is sending buffered positions, or its clock is slow'
  const message = `Packets arrive, but the newest position is from ${formatInstant(timeDevice)}: ${why}.`
  return { cause: 'clock' as const, message }
}

function unbelievedJump({ state: { fold } }: Evidence): Cause | undefined {
  if (!fold?.suspect) return undefined
  const { time, latitude, longitude } = fold.suspect
  const message = `The position at ${formatInstant(time)} (${latitude}, ${longitude}) is too far from the previous one. It is ignored until later positions confirm it.`
  return { cause: 'jump', message }
}

/** It reports a speed that does not count as movement. */
function noise({ isQuiet, state: { lastFix, fold }, object: { accuracy } }: Evidence) {
  const speed = lastFix?.speed ?? 0
  const { minimumMovingSpeed, idleSpeedThreshold } = accuracy
  if (isQuiet || fold?.motion === 'moving' || speed <= idleSpeedThreshold) return undefined
  const why =
    speed < minimumMovingSpeed
      ? `less than its minimum_moving_speed of ${minimumMovingSpeed} km/h`
      : 'noise from a parked device until it moves 100 m or its ignition is on'
  const message = `The newest position has a speed of ${speed} km/h, which counts as ${why}.`
  return { cause: 'noise' as const, message }
}

function ownedByOthers({ isQuiet, valid, owners, organization, isWide }: Evidence) {
  const isShared = valid.some((each) => each.organization === DEPLOYMENT)
  if (!isQuiet || !isShared || owners.includes(organization.id)) return undefined
  const others = isWide ? ` (owners: ${owners.join(', ') || 'none'})` : ''
  const message = `Its ident does not belong to this organization${others}, so feed tokens of the deployment do not deliver its packets. An operator can assign the ident.`
  return { cause: 'ownership' as const, message }
}

/** Nothing comes from it, and nothing else explains that. */
function silentDevice(evidence: Evidence): Cause[] {
  const { isQuiet, state, object, organization, now } = evidence
  if (!isQuiet || CHECKS.some((check) => check(evidence) !== undefined)) return []
  if (isPrivate(withOwnSettings(object, organization), now)) {
    const message =
      'It is in its private hours, in which the server does not note whether its device sends. Look again after them.'
    return [{ cause: 'silent_device', message }]
  }
  const { timeServer } = state
  const since = timeServer === null ? 'ever arrived' : `arrived since ${formatInstant(timeServer)}`
  const message = `No packet with the ident '${object.ident}' has ${since}, although other requests with a feed token arrive. Check the device: its power, SIM card, server address and ident.`
  return [{ cause: 'silent_device', message }]
}

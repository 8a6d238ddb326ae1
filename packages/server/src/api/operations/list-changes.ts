import { Readable } from 'node:stream'
import { includesRecords } from '../../domain/change-types.ts'
import type { Credential } from '../../domain/credential.ts'
import { opens, opensType } from '../../domain/key-scope.ts'
import { clientGone } from '../../http/connections/client-gone.ts'
import { awaitPage } from '../changes/await-page.ts'
import { type ChangesQuery, readChangesQuery, readTypes } from '../changes/changes-query.ts'
import { chargePage } from '../changes/charge-page.ts'
import { lostAccess } from '../changes/lost-access.ts'
import { answerOf } from '../changes/page-body.ts'
import { asksForPositions, openedTypes, type Reading, startReading } from '../changes/reading.ts'
import { disclosedIn } from '../disclosed.ts'
import type { ChargeLater } from '../limits.ts'
import type { Answer, Call, Operation } from '../operation.ts'
import { recordProgress } from '../records/record-progress.ts'
import {
  operationNotOpened,
  type Refusal,
  subscriptionInactive,
  tooManyRequests,
  unavailable,
} from '../refusal.ts'
import { answerInRoom } from '../reply/answer-in-room.ts'
import { wantsEvents } from '../request/wants-events.ts'
import { ChangeStream } from '../streams/change-stream.ts'
import { takePlace } from '../streams/take-place.ts'

/** Seconds after which a client may try again to open a stream. */
const STREAM_RETRY_SECONDS = 10

/** `GET /changes`: what changed since a cursor, in the order of commit, as a page or as a stream of pages. */
export const listChanges: Operation = {
  id: 'listChanges',
  isPosition: false,
  openedBy: ['changes'],
  isPublic: false,
  async prepare(call) {
    const { api, fleet, organization, query, request } = call
    const isStream = request.method === 'GET' && wantsEvents(request.accept)
    const lastEventId = (isStream && request.lastEventId) || undefined
    if (namesClosedType(call)) return operationNotOpened
    const { subscription } = organization
    if (subscription !== 'active' && opensPositions(call.key)) {
      const cursor = lastEventId ?? query.get('cursor')?.[0]
      if (asksForPositions(api, organization, query, cursor)) {
        return subscriptionInactive(subscription)
      }
    }
    const asked = readChangesQuery(query)
    if ('status' in asked) return asked
    asked.cursor = lastEventId ?? asked.cursor
    const reading = startReading(call, asked, await fleet.objects())
    if ('status' in reading) return reading
    return {
      due: null,
      shown: [],
      async answer(_states, charge) {
        if (namesRecords(reading)) await recordProgress(api.records, organization.id)
        return isStream
          ? openStream(call, asked, reading)
          : answerPage(call, asked, reading, charge)
      },
    }
  },
}

/** Whether a request names a type of changes that the scope of its key does not open. */
function namesClosedType({ key, query }: Call): boolean {
  const types = readTypes(query)
  if (types === undefined || 'status' in types) return false
  return types.some((type) => !opensType(key.scope, type))
}

function opensPositions({ scope }: Credential): boolean {
  return opens(scope, 'positions') || opens(scope, 'records')
}

/** A reader that starts with types of records has them derived from now on. */
function namesRecords({ wanted, at, scope }: Reading): boolean {
  return at === null && includesRecords(openedTypes(wanted, scope))
}

async function openStream(
  { api, organization, key, request }: Call,
  wish: ChangesQuery,
  reading: Reading,
): Promise<Answer | Refusal> {
  if (!api.streams.hasRoom()) return unavailable(STREAM_RETRY_SECONDS)
  const place = await takePlace(api.realtime.streams, key)
  if (place === null) return tooManyRequests(STREAM_RETRY_SECONDS)
  const opening = { organization, key, request, reading, wish, place }
  return { isFresh: true, body: new ChangeStream(api, opening) }
}

/** The answer for a client that has gone. It is logged as aborted. */
const forNobody = (): Answer => ({ isFresh: true, isHeld: true, body: Readable.from([]) })

async function answerPage(
  call: Call,
  asked: ChangesQuery,
  reading: Reading,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const { api, organization, request } = call
  const waitMs = request.method === 'GET' ? asked.waitSeconds * 1_000 : 0
  const gone = clientGone(request.connection)
  const read = await awaitPage(api, organization.id, reading, asked, waitMs, gone).catch(
    (error: unknown) => {
      if (gone.aborted) return undefined
      throw error
    },
  )
  if (read === undefined) return forNobody()
  if ('status' in read) return read
  return answerInRoom(read.room, async () => {
    const lost = waitMs > 0 ? await lostAccess(call, reading) : undefined
    if (lost !== undefined) return lost
    // A client that has gone pays for nothing.
    if (gone.aborted) return forNobody()
    const page = await chargePage(read.page, asked.skipsExhausted, charge)
    if ('status' in page) return page
    const body = await answerOf(api, organization, read, page)
    return { isFresh: true, isHeld: waitMs > 0, body, disclosed: disclosedIn(page) }
  })
}

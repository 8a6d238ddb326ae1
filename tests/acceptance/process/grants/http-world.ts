import assert from 'node:assert/strict'
import type { Grant } from '../../../../packages/server/src/base/domain/grant.ts'
import { systemClock } from '../../../../packages/server/src/base/domain/time/time.ts'
import { type fixesOf, MINUTE, NOW } from '../../../chaos/grants/any-world.ts'
import { COUNTER_FIELDS, FIELDS, plainDigest } from '../../coverage/plain-digest.ts'
import type { Console } from '../../harness/admin.ts'
import { type Answer, request } from '../../harness/client.ts'
import { clock } from '../../harness/clock.ts'
import { isEmbedded } from '../../harness/deployment.ts'
import { resultOf } from '../../harness/envelope.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { PREFIX } from '../../harness/organization.ts'
import { postRows } from '../../harness/sender.ts'
import { type Compared, comparedAnswer, comparedChanges } from './compared.ts'
import {
  caughtUp,
  END,
  FOLLOWED,
  polling,
  pushed,
  receiving,
  relayed,
  relayedSome,
  streaming,
} from './followers.ts'
import { grantsFor, idsOf, instantOf, newOrganization, WHOLE } from './world-organization.ts'

type Fix = ReturnType<typeof fixesOf>[number]
type Key = { get(path: string): Promise<Answer>; secret: string }

export type HttpWorld = Awaited<ReturnType<typeof openWorld>>

/** Opens a world of a server. `number`: its own among all. */
export async function openWorld(
  { server, operator }: Pick<Console, 'server' | 'operator'>,
  number: number,
  grants: readonly Grant[],
) {
  const ids = idsOf(number)
  const at = await newOrganization(operator, ids)
  const scope = { grants: grantsFor(grants, ids) }
  const { secret: token } = await operator.post(`${at}/feed-tokens`, { name: 'feed' })
  let requests = 0

  async function newKey(more: Json): Promise<Key> {
    const { secret } = await operator.post(`${at}/keys`, { name: 'Shipper', ...more })
    const headers = { 'x-api-key': secret }
    const get = (path: string) => {
      if ('scope' in more) requests += 1
      return request(server.api, PREFIX + path, { headers })
    }
    return { get, secret }
  }

  const [key, whole] = [await newKey({ scope }), await newKey({})]
  // Records are derived from the first question on.
  resultOf(await whole.get(`/trips?${WHOLE}`))

  const masked = (text: string) => ids.masked(text).replaceAll(key.secret.slice(0, 12), '')
  const own = (path: string) =>
    path
      .replace(/(?<=\/objects\/|object=)\d/, (id) => String(ids.object(Number(id))))
      .replace(/(?<=\/routes\/)\d/, String(ids.place))

  /** Digests have ids in them. They are those of the positions that the key shows, and no others. */
  async function assertDigests(answer: Answer): Promise<void> {
    for (const { object_id, date, digest, counters_digest } of resultOf(answer)) {
      const range = `from_time=${date}&to_time=${date}`
      const rows = resultOf(await key.get(`/objects/${object_id}/positions?${range}&include=exact`))
      assert.equal(digest, plainDigest(rows, FIELDS))
      assert.equal(counters_digest, plainDigest(rows, COUNTER_FIELDS))
    }
  }

  /** Resolves when the records are derived from all that was committed until `time`. */
  async function derived(time: number): Promise<void> {
    let { cursor } = resultOf(await whole.get('/changes?from=now&types=trips,stops,visits'))
    for (;;) {
      const { headers } = await whole.get(`/trips?${WHOLE}`)
      if (String(headers['x-records-until'] ?? '') >= instantOf(time)) return
      cursor = resultOf(await whole.get(`/changes?cursor=${cursor}&wait=1`)).cursor
    }
  }

  return {
    /** The number of requests with the grants. */
    requests: () => requests,

    /** Posts the fixes of one object. Resolves when the records are derived from them. */
    async post(fixes: readonly Fix[]): Promise<void> {
      // Nothing else is committed from here on.
      const before = isEmbedded ? clock.now() : systemClock.now()
      const result = await postRows(server.feed, token, fixes.map(rowOf))
      if (result.stored !== fixes.length) throw new Error(JSON.stringify(result))
      await derived(before)
    },

    /**
     * Follows the world, which shows `now` positions, in all ways. Returns what resolves with all that came when the world
     * has ended.
     */
    async follow(form: string, now: number): Promise<() => Promise<Compared[]>> {
      const polled = await Promise.all(FOLLOWED.map((path) => polling(key.get, path, '')))
      const held = await Promise.all(FOLLOWED.map((path) => polling(key.get, path, '&wait=25')))
      const streams = await Promise.all(
        FOLLOWED.map((path) => streaming(server.api + PREFIX + path, key.secret)),
      )
      requests += streams.length
      const settings = { ...scope, include: ['exact', 'attributes'] }
      const changes = await receiving(operator, at, settings)
      const relay = await receiving(operator, at, { ...scope, form, include: ['attributes'] })
      await Promise.all([caughtUp(changes), relayedSome(relay, now)])
      return async () => {
        const followed = await Promise.all(
          [...polled, ...held, ...streams].map((each) => each.all()),
        )
        const received = [...followed, await pushed(changes)]
        const positions = await relayed(relay)
        await Promise.all([changes.close(), relay.close()])
        return [
          ...received.map((each, index) => ({
            about: `follower ${index}`,
            shown: comparedChanges(each, masked),
          })),
          { about: form, shown: positions.map((each) => masked(each)) },
        ]
      }
    },

    /** Renames an object, which all followers but relays see. */
    async end(object: number): Promise<void> {
      await operator.patch(`${at}/objects/${ids.object(object)}`, { name: END })
    },

    /** The answer to a path with the ids of the in-process worlds. */
    async ask(path: string): Promise<Compared> {
      const answer = await key.get(own(path))
      if (path.startsWith('/coverage')) await assertDigests(answer)
      return comparedAnswer(path, answer, masked)
    },

    /** The data of a link with the same grants. */
    async askLink(): Promise<Compared> {
      const expires_at = instantOf(NOW + 60 * MINUTE)
      const settings = { name: 'Delivery', ...scope, expires_at, shows_way: true }
      const { url } = await operator.post(`${at}/links`, settings)
      requests += 1
      const answer = await request(server.api, `${new URL(url).pathname}.json`)
      return comparedAnswer('a link', answer, masked)
    },
  }
}

function rowOf({ object, fix }: Fix): Json {
  const { timeDevice, latitude, longitude, altitude, speed, attributes } = fix
  const values = (attributes ?? []).map(({ name, value }) => [name, value])
  return {
    ...{ ident: `${object}`, time_device: timeDevice, latitude, longitude, altitude, speed },
    ...Object.fromEntries(values),
  }
}

import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { serve } from '../../acceptance/harness/server.ts'
import type { Finding, Trial } from '../part.ts'
import { makeAttacked } from './attacked-folder.ts'
import { besideUndisturbed } from './undisturbed.ts'

const GEOFENCES = 48
const BODY_BYTES = 4 * 1024 * 1024
const LISTS = 6
/** A client that is refused with 503 waits this long and sends its body again. */
const AGAIN_MS = 500
/** Later answers count as missing. */
const MAX_MS = 120_000

/** One organization's token creates 48 geofences of 4 MB at once. Then its key and its token list them. */
export async function manyPlaces(trial: Trial): Promise<Finding[]> {
  const folder = join(trial.folder, 'many-places')
  const { others, attacker, token } = await makeAttacked(folder)
  const server = await serve(inFolder(folder), ['--geocoder', 'off'])
  const geofences = `${server.admin}/admin/v1/organizations/${attacker.organization}/geofences`
  const authorization = `Bearer ${token}`
  const statuses = new Map<number, number>()
  let isAnswered = true
  const failed = () => {
    isAnswered = false
  }

  async function send(number: number): Promise<void> {
    const headers = { authorization, 'content-type': 'application/json' }
    const body = Buffer.from(bodyOf(number))
    const until = AbortSignal.timeout(MAX_MS)
    for (;;) {
      const sent = { method: 'POST', headers, body, signal: until }
      const answer = await fetch(geofences, sent)
      const text = await answer.text()
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      if (answer.status === 503 && answer.headers.has('retry-after')) {
        await wait(AGAIN_MS)
        continue
      }
      if (answer.status !== 201) isAnswered &&= answer.status === 409 && /max_\w+ is/.test(text)
      return
    }
  }

  async function list(url: string, headers: Record<string, string>): Promise<void> {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(MAX_MS) })
    for await (const _ of answer.body!);
    isAnswered &&= answer.status === 200
  }

  try {
    const findings = await besideUndisturbed('many places', server, others, async () => {
      await Promise.all(
        Array.from({ length: GEOFENCES }, (_, number) => send(number).catch(failed)),
      )
    })
    const lists = await besideUndisturbed('lists of large places', server, others, async () => {
      const ofKey = { 'x-api-key': attacker.key }
      await Promise.all(
        Array.from({ length: LISTS }, async () => {
          await list(`${server.api}/public/v1/geofences`, ofKey).catch(failed)
          await list(geofences, { authorization }).catch(failed)
        }),
      )
    })
    const answers = [...statuses].map(([status, count]) => `${count} of ${status}`).join(', ')
    return [
      ...findings,
      ...lists,
      {
        what: 'many places: answers',
        bar: '201, 409 that names the limit, or 503 with Retry-After',
        measured: answers,
        met: isAnswered,
      },
    ]
  } finally {
    await server.stop()
  }
}

/** A circle with as many vertices as the largest body has room for. */
const RING = circle()

function circle(): string {
  const vertices = Math.floor(BODY_BYTES / '[12.3456789,41.2345678],'.length) - 10
  const pairs = Array.from({ length: vertices }, (_, i) => {
    const angle = (2 * Math.PI * i) / vertices
    return `[${(20 + 8 * Math.cos(angle)).toFixed(7)},${(45 + 8 * Math.sin(angle)).toFixed(7)}]`
  })
  return pairs.join()
}

function bodyOf(number: number): string {
  return `{"name":"Zone ${number}","coordinates":[${RING}]}`
}

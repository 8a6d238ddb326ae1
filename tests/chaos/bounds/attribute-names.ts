import { join } from 'node:path'
import { OBJECT_DEFAULTS } from '../../../packages/server/src/base/domain/monitored-object.ts'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { serve } from '../../acceptance/harness/server.ts'
import { issueFeedToken } from '../clients/install.ts'
import type { Finding, Trial } from '../part.ts'
import { makeAttacked } from './attacked-folder.ts'
import { besideUndisturbed } from './undisturbed.ts'

const OBJECTS = 5_000
const NAMES = 64
/** Objects of one request. */
const AT_ONCE = 50
/** Lists at once, and acts that publish all. */
const ASKED = 8
const ROUNDS = 40
const MAX_NAMES = 2_000

/**
 * 5,000 objects of one organization send 64 names each, 320,000 in all. Its administrator lists them and publishes all,
 * 8 times at once, 40 times. Then a truck whose 64 names are junk sends its fuel.
 */
export async function attributeNames(trial: Trial): Promise<Finding[]> {
  const folder = join(trial.folder, 'attribute-names')
  let feedToken = ''
  const { others, attacker, token } = await makeAttacked(folder, async (store, tenant) => {
    feedToken = await issueFeedToken(store, tenant)
    const settings = Array.from({ length: OBJECTS }, (_, n) => ({
      ...{ ...OBJECT_DEFAULTS, ident: `d${n}`, name: `d${n}` },
    }))
    for (let from = 0; from < OBJECTS; from += 500) {
      await store.objects.put(tenant.organization, settings.slice(from, from + 500), Date.now())
    }
  })
  const server = await serve(inFolder(folder), ['--geocoder', 'off'])
  const attributes = `${server.admin}/admin/v1/organizations/${attacker.organization}/attributes`
  const authorization = `Bearer ${token}`
  const statuses = new Map<number, number>()

  async function ask(url: string, init: RequestInit = {}) {
    const answer = await fetch(url, init)
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    // biome-ignore lint/suspicious/noExplicitAny: the answer is looked at, not trusted
    return (await answer.json()) as any
  }

  const send = (rows: readonly object[]) =>
    ask(`${server.feed}/feed/v1/positions`, {
      method: 'POST',
      headers: { 'x-feed-token': feedToken },
      body: JSON.stringify(rows),
    })

  async function sendAll(): Promise<void> {
    for (let from = 0; from < OBJECTS; from += AT_ONCE) {
      await send(
        Array.from({ length: AT_ONCE }, (_, n) => rowOf(from + n, 60_000, namesOf(from + n))),
      )
    }
  }

  async function listAndPublish(): Promise<void> {
    const headers = { authorization, 'content-type': 'application/json' }
    const publish = { method: 'POST', headers, body: JSON.stringify({ names: null }) }
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all(
        Array.from({ length: ASKED }, async () => {
          await ask(attributes, { headers })
          await ask(`${attributes}/publish`, publish)
        }),
      )
    }
  }

  try {
    const sent = await besideUndisturbed('names of attributes', server, others, sendAll)
    const listed = await besideUndisturbed('lists of names', server, others, listAndPublish)
    let count = 0
    for (let after: string | null = ''; after !== null; ) {
      const page = await ask(`${attributes}?limit=1000&after=${encodeURIComponent(after)}`, {
        headers: { authorization },
      })
      count += page.sent.length
      after = page.next
    }
    const { result } = await send([rowOf(0, 0, ['fuel'])])
    const left = JSON.stringify(result.unread)
    const answers = [...statuses].map(([status, times]) => `${times} of ${status}`).join(', ')
    return [
      ...sent,
      ...listed,
      {
        what: `names of attributes: kept of ${(OBJECTS * NAMES).toLocaleString('en')}`,
        bar: `at most ${MAX_NAMES.toLocaleString('en')}`,
        measured: count.toLocaleString('en'),
        met: count > 0 && count <= MAX_NAMES,
      },
      {
        what: 'names of attributes: answers',
        bar: '200, or 409 for more attributes than a catalogue has',
        measured: answers,
        met: [...statuses.keys()].every((status) => status === 200 || status === 409),
      },
      {
        what: 'names of attributes: the fuel of a truck whose 64 names are junk',
        bar: 'the answer names it',
        measured: left ?? 'nothing',
        met: result.unread?.[0]?.fields.includes('fuel') === true,
      },
    ]
  } finally {
    await server.stop()
  }
}

function namesOf(object: number): string[] {
  return Array.from({ length: NAMES }, (_, n) => `n${object}_${n}_`.padEnd(60, 'x'))
}

function rowOf(object: number, ageMs: number, names: readonly string[]) {
  return {
    ...{ ident: `d${object}`, latitude: 41.1, longitude: 2.1, time_device: Date.now() - ageMs },
    attributes: Object.fromEntries(names.map((name) => [name, 1])),
  }
}

import { readXlsx } from 'hucre/xlsx'
import { OF_A_REQUEST, OF_A_WORLD } from '../../../chaos/grants/of-a-world.ts'
import type { Answer } from '../../harness/client.ts'
import type { Json } from '../../harness/fleetgate.ts'

/*
 * The parts of what a world shows that another world shows alike.
 */

/** Depend on the organization, the connection and the speed of requests. */
const OF_AN_ORGANIZATION =
  /^(etag|connection|keep-alive|(x-)?ratelimit.*|x-quota-reset|retry-after)$/
/** Those of /usage that count how often a page of changes was asked for. */
const OF_USAGE =
  /"window":\{[^}]*\}|"used":\d+|(?<="operation":"listChanges","status":200,)"requests":\d+/g
const DIGESTS = /(?<="(counters_)?digest":)"[0-9a-f]{64}"/g
const NAME = /"name":"[^"]+"/
const RECORDS = ['trip', 'stop', 'visit', 'level']

export type Compared = { about: string; shown: unknown }

/** `masked`: without ids and secrets of the world. */
export async function comparedAnswer(
  path: string,
  { status, headers, text, bytes }: Answer,
  masked: (text: string) => string,
): Promise<Compared> {
  const kept = Object.entries(headers)
    .filter(([name]) => !OF_A_REQUEST.includes(name) && !OF_AN_ORGANIZATION.test(name))
    .map(([name, value]) => [name, masked(String(value)).replaceAll(OF_A_WORLD, '')])
  const isBook = path.includes('format=xlsx') && status === 200
  const whole = isBook ? JSON.stringify((await readXlsx(bytes)).sheets) : text
  const body = whole.replaceAll(path === '/usage' ? OF_USAGE : DIGESTS, '')
  return { about: path, shown: { status, kept, body: masked(body).replaceAll(OF_A_WORLD, '') } }
}

/**
 * The changes that a follower has got, by type: of each thing the last one, because changes that come close together may be
 * one. Positions are in their order. The other ones have none, because pages may end anywhere between them.
 */
export function comparedChanges(changes: readonly Json[], masked: (text: string) => string) {
  const last = new Map<string, Json>()
  for (const change of changes) {
    const key = keyOf(change)
    last.delete(key)
    last.set(key, change)
  }
  const left = [...last.values()].filter(({ type, op }) => op !== 'delete' || !isRecord(type))
  const byType = Map.groupBy(left, ({ type }) => String(type))
  return [...byType]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([type, own]) => {
      const texts = own.map((each) => masked(JSON.stringify(each)).replaceAll(OF_A_WORLD, ''))
      // A position or a record has the name that its object has when it is read.
      if (type === 'position') return texts.map((text) => text.replace(NAME, ''))
      return texts.map((text) => (isRecord(type) ? text.replace(NAME, '') : text)).toSorted()
    })
}

const isRecord = (type: string) => RECORDS.includes(type)

function keyOf({ type, id, ...change }: Json): string {
  const item = change[type] ?? {}
  return [type, id ?? item.id, type === 'position' ? item.time_device : ''].join()
}

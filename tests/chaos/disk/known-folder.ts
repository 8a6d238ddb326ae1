import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, request } from '../../acceptance/harness/client.ts'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { IDENTS } from '../../acceptance/harness/fleet-data.ts'
import { fleetgateJson } from '../../acceptance/harness/fleetgate.ts'
import { type FleetRecord, makeFleet } from '../../acceptance/harness/make-fleet.ts'
import { PREFIX } from '../../acceptance/harness/organization.ts'
import { type ServerProcess, serve } from '../../acceptance/harness/server.ts'

/** A data folder with known answers. */
export type KnownFolder = {
  folder: string
  records: FleetRecord[]
  /** Requests of each kind for each organization, and their right bodies. */
  right: Map<Ask, string>
}

export type Ask = { key: string; path: string }

/** The result of a comparison with the right answer. */
export type Verdict = 'right' | 'error' | 'wrong'

const ROWS = 3_000
const START = Date.parse('2024-06-01T00:00:00Z')
const RANGE = 'from_time=2024-01-01&to_time=2025-01-01'

/** Four organizations, one of them with places, and some thousands of positions. */
export async function makeKnownFolder(folder: string, scratch: string): Promise<KnownFolder> {
  const deployment = inFolder(folder)
  const records = await makeFleet(deployment, { full: 1, plain: 3 })
  const file = join(scratch, 'rows.csv')
  const lines = Array.from({ length: ROWS }, (_, i) => {
    const latitude = (41 + ((i * 7919) % 9_000) / 10_000).toFixed(4)
    return `${IDENTS.silent},${START + i * 60_000},${latitude},29.${i},${i % 90}`
  })
  const header = 'ident,time_device,latitude,longitude,speed'
  writeFileSync(file, [header, ...lines, ''].join('\n'))
  for (const { id } of records) {
    await fleetgateJson(['import', 'positions', '--org', `${id}`, ...deployment.args, file])
  }
  const server = await serve(deployment, ['--geocoder', 'off'])
  const right = new Map<Ask, string>()
  try {
    for (const ask of records.flatMap(asksOf)) {
      const { status, text } = await send(server, ask)
      if (status !== 200) throw new Error(`${ask.path}: ${text}`)
      right.set(ask, text)
    }
  } finally {
    await server.stop()
  }
  return { folder, records, right }
}

/** Fewer than a rate window admits, so that each server can answer all of them. */
function asksOf({ key, objects }: FleetRecord): Ask[] {
  const { van, truck, longHaul, silent } = objects
  return [
    '/objects',
    `/objects/${van}`,
    `/objects/${truck}/positions?${RANGE}`,
    `/objects/${longHaul}/positions?${RANGE}`,
    `/objects/${silent}/positions?${RANGE}`,
    `/positions/latest?ids=${van},${truck},${longHaul},${silent}`,
    '/geofences',
    '/routes',
    '/sites',
  ].map((path) => ({ key, path }))
}

/** Sends every request to a server and compares the answers. */
export async function judgeAnswers(
  server: ServerProcess,
  right: ReadonlyMap<Ask, string>,
): Promise<{ ask: Ask; verdict: Verdict; answered: string }[]> {
  const asked = [...right].map(async ([ask, body]) => {
    const answer = await send(server, ask).catch((error: Error) => error)
    const answered = answer instanceof Error ? `${answer}` : `${answer.status} ${answer.text}`
    return { ask, verdict: verdictOf(answer, body), answered }
  })
  return Promise.all(asked)
}

/**
 * Only the right body is right. An error is a 5xx of the contract, or an aborted connection, which no client
 * takes for an answer. Everything else is wrong: a missing row, a 404, a 401.
 */
export function verdictOf(answer: Pick<Answer, 'status' | 'text'> | Error, right: string): Verdict {
  if (answer instanceof Error) return 'error'
  if (answer.status === 200) return answer.text === right ? 'right' : 'wrong'
  return answer.status >= 500 && isEnvelope(answer.text, answer.status) ? 'error' : 'wrong'
}

function isEnvelope(text: string, status: number): boolean {
  try {
    const { statusCode, errorCode, message, timestamp } = JSON.parse(text)
    return statusCode === status && errorCode === 'ERR999' && message !== '' && timestamp !== ''
  } catch {
    return false
  }
}

function send(server: ServerProcess, { key, path }: Ask): Promise<Answer> {
  return request(server.api, PREFIX + path, { headers: { 'x-api-key': key } })
}

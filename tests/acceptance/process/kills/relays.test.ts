import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import mqtt from 'mqtt'
import { freePort } from '../../../../packages/server/testing/servers/free-port.ts'
import {
  startMosquitto,
  withoutMosquitto,
} from '../../../../packages/server/testing/servers/mosquitto.ts'
import { request } from '../../harness/client.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { commandLine } from '../../harness/make-fleet.ts'
import { newDeployment } from '../../harness/new-deployment.ts'
import { FEED_PREFIX } from '../../harness/sender.ts'
import { type ServerProcess, serve } from '../../harness/server.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'

/*
 * Relays of one Fleetgate to a second one and to a broker, each killed while it sends and while it receives.
 */

const IS_WHOLE = process.env.RELAYS === 'whole'
/** The kills of each side. */
const KILLS = IS_WHOLE ? 10 : 1
/** Positions of each object: of the history that relays begin with, and of each kill. */
const HISTORY = IS_WHOLE ? 600 : 100
const AT_KILL = 60
const LOAD_MS = 400
const PATIENCE_MS = 300_000
/** A look opens the store, so many of them would slow the relays. */
const LOOK_EVERY_MS = 1_000

const FIRST = Date.now() - 86_400_000
/** The relays show all but the last one. An ident is one level of a topic, whatever it is. */
const IDENTS = ['van 1', 'van/2', 'van+3', 'hidden']
const SHOWN = IDENTS.slice(0, 3)
const HERE = ['--webhook-networks', '127.0.0.1/32', '--geocoder', 'off']

/** A fraction that differs between kills and is the same in every run (golden ratio). */
const spread = (kill: number) => ((kill + 1) * 0.618_033_988_7) % 1

type Row = Record<'time_device' | 'latitude' | 'longitude' | 'speed', number>

function rowOf(ident: string, step: number): Row {
  const van = IDENTS.indexOf(ident)
  const time_device = FIRST + step * 1_000
  // Quotients, because sums differ from what JSON repeats.
  const longitude = (290_000 + step) / 1e4
  return { time_device, latitude: (410 + van) / 10, longitude, speed: step % 90 }
}

const { jsonHere } = await commandLine()

async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS
  while (!(await holds())) {
    assert.ok(performance.now() < giveUpAt, `${what} took too long`)
    await wait(LOOK_EVERY_MS)
  }
}

/** A server that is killed and starts again. `args`: with its ports, if others know them. */
async function killable(args: string[], deployment: Awaited<ReturnType<typeof newDeployment>>) {
  let server: ServerProcess = await serve(deployment, args)
  after(() => server.kill())
  return {
    now: () => server,
    async restart(pauseMs = 0) {
      await server.kill()
      await wait(pauseMs)
      server = await serve(deployment, args)
    },
  }
}

async function newOrganization(args: string[]) {
  const { id } = await jsonHere(['org', 'create', 'A', '--create-objects', ...args])
  const run = (...words: string[]): Promise<Json> =>
    jsonHere([...words, '--org', String(id), ...args])
  const { token } = await run('feed-token', 'issue', '--name', 'any')
  const { key } = await run('key', 'issue', '--name', 'any')
  return { run, token: String(token), key: String(key) }
}

/** A second Fleetgate, which has its port for the feed after a kill too. An ident belongs to one organization of a deployment. */
async function newReceiver() {
  const deployment = await newDeployment()
  const organization = await newOrganization(deployment.args)
  const feed = String(await freePort())
  return { ...organization, feed, ...(await killable(['--feed-port', feed], deployment)) }
}

/** The messages of a broker, in order, by topic. The reader has a session that outlives kills of the broker. */
async function readerOf(port: number) {
  const times = new Map<string, number[]>()
  const session = { clean: false, properties: { sessionExpiryInterval: 86_400 } }
  const reader = mqtt.connect(`mqtt://127.0.0.1:${port}`, {
    ...{ ...session, protocolVersion: 5, clientId: 'reader', reconnectPeriod: 100 },
  })
  after(() => reader.endAsync(true))
  reader.on('error', () => undefined)
  reader.on('message', (topic, payload) => {
    const { ident, time_device, latitude, longitude, speed } = JSON.parse(payload.toString())
    assert.equal(topic, `fleet/${encodeURIComponent(ident)}`)
    const row = { time_device: Date.parse(time_device), latitude, longitude, speed }
    assert.deepEqual(row, rowOf(ident, (row.time_device - FIRST) / 1_000))
    times.set(ident, [...(times.get(ident) ?? []), row.time_device])
  })
  await new Promise((resolve) => reader.once('connect', resolve))
  await reader.subscribeAsync('fleet/#', { qos: 1 })
  return times
}

it(`relays lose nothing, keep the order and show what they may, over ${KILLS} kills of each side`, {
  skip: withoutMosquitto,
}, async (t) => {
  const deployment = await newDeployment()
  const { run, token } = await newOrganization(deployment.args)
  const objects = join(temporaryFolder(), 'objects.csv')
  writeFileSync(objects, `ident\n${IDENTS.join('\n')}\n`)
  await run('import', 'objects', objects)
  const listed: Json[] = await run('objects', 'list')
  const ids = SHOWN.map((ident) => listed.find((each) => each.ident === ident)!.id)
  const sending = await killable(HERE, deployment)
  let steps = 0
  /** Sends the next positions of all objects to the feed. */
  async function drive(count: number): Promise<void> {
    for (const end = steps + count; steps < end; ) {
      const next = Math.min(end - steps, 100)
      const rows = Array.from({ length: next }, (_, at) =>
        IDENTS.map((ident) => ({ ident, ...rowOf(ident, steps + at) })),
      ).flat()
      const headers = { 'x-feed-token': token }
      const body = JSON.stringify(rows)
      const to = `${FEED_PREFIX}/positions`
      const sent = await request(sending.now().feed, to, { method: 'POST', body, headers })
      assert.equal(sent.status, 200, sent.text)
      steps += next
    }
  }
  await drive(HISTORY)

  const receivers = { osmand: await newReceiver(), traccar: await newReceiver() }
  const broker = await startMosquitto('allow_anonymous true')
  after(() => broker.stop())
  const times = await readerOf(broker.port)
  const published = () => SHOWN.map((ident) => new Set(times.get(ident)).size)

  const relays: string[] = []
  const isDone = async () => {
    for (const relay of relays) {
      const [newest] = await run('webhook', 'deliveries', relay)
      if (newest?.delivered_at == null) return false
    }
    return true
  }
  async function relay(form: string, url: string, ...args: string[]): Promise<void> {
    const shown = ['--grant', `objects=${ids}`, '--from', 'history']
    const { id } = await run('webhook', 'create', '--form', form, '--url', url, ...shown, ...args)
    const deliveries = (): Promise<Json[]> => run('webhook', 'deliveries', String(id))
    const arrived = async () =>
      (await deliveries()).reduce((sum: number, each: Json) => sum + each.arrived, 0)
    await until(
      async () => (await arrived()) >= HISTORY * SHOWN.length,
      `the history by ${form}`,
    ).catch(async (cause) => assert.fail(`${cause}: ${JSON.stringify((await deliveries()).at(0))}`))
    const all = await deliveries()
    const tookMs = Date.parse(all[0]!.delivered_at) - Date.parse(all.at(-1)!.created_at)
    const perSecond = Math.round((HISTORY * SHOWN.length * 1_000) / tookMs)
    t.diagnostic(`${form}: ${HISTORY * SHOWN.length} positions, ${perSecond} a second`)
    relays.push(String(id))
  }
  for (const form of ['osmand', 'traccar'] as const) {
    const { feed, token: secret } = receivers[form]
    const url = `http://127.0.0.1:${feed}${FEED_PREFIX}/${form}`
    await relay(form, url, '--credentials', `X-Feed-Token: ${secret}`)
  }
  await relay('mqtt', `mqtt://127.0.0.1:${broker.port}/fleet`)

  let underWay = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    await drive(AT_KILL)
    await wait(spread(kill) * LOAD_MS)
    if (!(await isDone())) underWay += 1
    await sending.restart()
    await drive(AT_KILL)
    await wait(spread(kill) * LOAD_MS)
    if (!(await isDone())) underWay += 1
    await Promise.all([
      receivers.osmand.restart(200),
      receivers.traccar.restart(200),
      broker.kill().then(() => wait(200).then(() => broker.start())),
    ])
  }
  await drive(AT_KILL)
  t.diagnostic(`${underWay} of ${2 * KILLS} kills came while positions were under way`)
  assert.ok(underWay > 0, 'the kills came at no time to tell')

  await until(() => published().every((count) => count === steps), 'the last messages')
  assert.deepEqual([...times.keys()].sort(), [...SHOWN].sort())
  for (const [ident, all] of times) {
    const first = [...new Set(all)]
    assert.deepEqual(
      first,
      Array.from({ length: steps }, (_, step) => FIRST + step * 1_000),
      `${ident} is in order`,
    )
  }
  const repeated = [...times.values()].flat().length - steps * SHOWN.length
  t.diagnostic(`${steps * SHOWN.length} messages, and ${repeated} of them again`)

  for (const { run: ask, key, now } of Object.values(receivers)) {
    const kept: Json[] = await ask('objects', 'list')
    assert.deepEqual(kept.map(({ ident }) => ident).sort(), [...SHOWN].sort())
    for (const { id, ident } of kept) {
      const from = new Date(FIRST).toISOString()
      const to = new Date(FIRST + steps * 1_000).toISOString()
      const path = `/public/v1/objects/${id}/positions?from_time=${from}&to_time=${to}&include=quality`
      let rows: Json[] = []
      const read = async () => {
        const answer = await request(now().api, path, { headers: { 'x-api-key': key } })
        rows = answer.json?.result ?? []
        return rows.length >= steps
      }
      await until(read, `the positions of ${ident}`)
      const expected = Array.from({ length: steps }, (_, step) => rowOf(ident, step))
      assert.deepEqual(
        rows.map(({ time_device, latitude, longitude, speed }) => ({
          ...{ time_device: Date.parse(time_device), latitude, longitude, speed },
        })),
        expected,
      )
      assert.ok(rows.every(({ late }) => late === false))
    }
  }
})

import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { runHere } from '../../../packages/server/testing/command-line/run-here.ts'
import { assertError, operatorBy, startConsole } from '../harness/admin.ts'
import { clock, stopClock } from '../harness/clock.ts'
import type { Json } from '../harness/fleetgate.ts'
import { postRows } from '../harness/sender.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const pass = stopClock()
const console = await startConsole()
const { get, post, patch } = console.operator

/** A moving vehicle, seen just now. `ago`: milliseconds. */
const rowOf = (ident: string, { ago = 0, ...more }: { ago?: number } & Json = {}) => ({
  ...{ ident, latitude: 41, longitude: 2, speed: 50, ignition: true },
  time_device: new Date(clock.now() - ago).toISOString(),
  ...more,
})
const sendBy = (secret: string, ...rows: object[]) => postRows(console.server.feed, secret, rows)

async function newOrganization(settings: object = {}) {
  const { id } = await post('/organizations', { name: 'Haulage', ...settings })
  const at = `/organizations/${id}`
  return {
    id,
    at,
    object: (ident: string, more: object = {}): Promise<Json> =>
      post(`${at}/objects`, { name: 'Van', ident, ...more }),
    token: (): Promise<Json> => post(`${at}/feed-tokens`, { name: 'Trackers' }),
    diagnosis: (object: Json): Promise<Json> => get(`${at}/objects/${object.id}/diagnosis`),
  }
}

type Organization = Awaited<ReturnType<typeof newOrganization>>

/** A vehicle of an organization of its own, whose device sends with a token. */
async function newVehicle(ident: string, settings: object = {}, more: object = {}) {
  const organization = await newOrganization(settings)
  const object = await organization.object(ident, more)
  const { secret } = await organization.token()
  return {
    ...organization,
    made: object,
    send: (...rows: object[]) => sendBy(secret, ...rows),
    diagnosed: () => organization.diagnosis(object),
  }
}

/** Checks which cause comes first, and returns its words. */
function assertFirst({ causes }: Json, cause: string | undefined): string {
  assert.equal(causes[0]?.cause, cause, JSON.stringify(causes))
  return causes[0]?.message ?? ''
}

describe('Why a vehicle does not move', () => {
  it('is that no token is valid', async () => {
    const { object, token, diagnosis, at } = await newOrganization()
    const van = await object('van')
    const none = await diagnosis(van)
    assertFirst(none, 'no_token')
    const never = [none.last_packet_at, none.last_position_at, none.token_used_at]
    assert.deepEqual(never, [null, null, null])
    const { credential, secret } = await token()
    await sendBy(secret, rowOf('van'))
    const sent = await diagnosis(van)
    assertFirst(sent, undefined)
    assert.notEqual(sent.token_used_at, null)
    await post(`${at}/feed-tokens/${credential.id}/revoke`)
    assertFirst(await diagnosis(van), 'no_token')
  })

  it('is that no request came with its token', async () => {
    const { diagnosed } = await newVehicle('van')
    assert.match(assertFirst(await diagnosed(), 'silent_sender'), /'Trackers' has ever arrived/)
  })

  it('is nothing, if it moves', async () => {
    const { diagnosed, send } = await newVehicle('van')
    await send(rowOf('van'))
    const { causes, motion, last_packet_at, last_position_at } = await diagnosed()
    assert.deepEqual([causes, motion], [[], 'moving'])
    assert.deepEqual([last_packet_at, last_position_at], Array(2).fill(rowOf('').time_device))
  })

  it('is that its packets are rejected, for their quality', async () => {
    const { diagnosed, send } = await newVehicle('van')
    await send(rowOf('van', { ago: MINUTE }))
    pass(1_000)
    await send(rowOf('van', { hdop: 99 }))
    const diagnosis = await diagnosed()
    assert.match(assertFirst(diagnosis, 'rejected'), /maximum_hdop.* hdop 99\./)
    assert.equal(diagnosis.last_reject_at, rowOf('').time_device)
    await send(rowOf('van', { latitude: 0, longitude: 0 }))
    assert.match(assertFirst(await diagnosed(), 'rejected'), /the device had no GPS fix/)
  })

  it('is that its device sends another ident: with or without leading zeros', async () => {
    const { diagnosed, send } = await newVehicle('00864301')
    await send(rowOf('864301'))
    const found = await until(diagnosed, ({ similar_idents: similar }) => similar.length > 0)
    assert.match(assertFirst(found, 'similar_ident'), /'864301' last sent at .*refused/)
    assert.deepEqual(found.similar_idents, ['864301'])
  })

  it('is that its device sends another ident: of another object', async () => {
    const { diagnosed, send } = await newVehicle('AB-12', { create_objects: true })
    await send(rowOf('ab12'))
    assert.match(assertFirst(await diagnosed(), 'similar_ident'), /'ab12' .*object \d+ uses it/)
  })

  it('is that its clock is wrong', async () => {
    const { diagnosed, send } = await newVehicle('van')
    await send(rowOf('van', { ago: -2 * HOUR }))
    assert.match(assertFirst(await diagnosed(), 'clock'), /device_timezone/)
    pass(1_000)
    await send(rowOf('van'))
    assertFirst(await diagnosed(), undefined)
    // Within the tolerance, a fix from the future hides the next ones.
    await send(rowOf('van', { ago: -5 * MINUTE }))
    assert.match(assertFirst(await diagnosed(), 'clock'), /in the future/)
  })

  it('is that its clock is slow, or that it sends what it buffered', async () => {
    const { diagnosed, send } = await newVehicle('van')
    await send(rowOf('van', { ago: 5 * HOUR }))
    const buffered = await diagnosed()
    assert.match(assertFirst(buffered, 'clock'), /buffered/)
    assert.equal(buffered.last_packet_at, rowOf('').time_device, 'the packet came now')
    assert.equal(buffered.last_position_at, rowOf('', { ago: 5 * HOUR }).time_device)
  })

  it('is the retention of its organization', async () => {
    const { diagnosed, send } = await newVehicle('van', { retention_days: 1 })
    await send(rowOf('van', { ago: 30 * HOUR }))
    const diagnosis = await diagnosed()
    assert.match(
      assertFirst(diagnosis, 'retention'),
      /older than the retention period of the organization/,
    )
    assert.equal(diagnosis.last_packet_at, rowOf('').time_device)
  })

  it('is a jump that nothing has confirmed', async () => {
    const { diagnosed, send } = await newVehicle('van')
    await send(rowOf('van', { ago: MINUTE }), rowOf('van', { latitude: 45 }))
    assert.match(assertFirst(await diagnosed(), 'jump'), /too far/)
  })

  it('is the noise of a parked device', async () => {
    const { diagnosed, send } = await newVehicle('van')
    const parked = { ignition: null }
    await send(
      rowOf('van', { ...parked, ago: MINUTE, speed: 0 }),
      rowOf('van', { ...parked, speed: 9 }),
    )
    assert.match(assertFirst(await diagnosed(), 'noise'), /9 km\/h/)
  })

  it('is that it is slower than its setting', async () => {
    const { diagnosed, send, at, made } = await newVehicle('van')
    await patch(`${at}/objects/${made.id}`, { accuracy: { minimum_moving_speed: 30 } })
    await send(rowOf('van', { speed: 20, ignition: null }))
    assert.match(assertFirst(await diagnosed(), 'noise'), /minimum_moving_speed of 30/)
  })

  it('is the device, while others send with the same token', async () => {
    const { diagnosed, send, object } = await newVehicle('van')
    await object('other')
    await send(rowOf('van'))
    pass(20 * MINUTE)
    await send(rowOf('other'))
    assert.match(assertFirst(await diagnosed(), 'silent_device'), /Check the device/)
  })

  it('is that it is in its private hours, whether its device sends or not', async () => {
    const { diagnosed, send, object, at, made } = await newVehicle('van')
    await object('other')
    await send(rowOf('van'))
    await patch(`${at}/objects/${made.id}`, { private_hours: 'Mo-Su' })
    pass(20 * MINUTE)
    await send(rowOf('other'))
    const silent = await diagnosed()
    assert.match(assertFirst(silent, 'silent_device'), /private hours/)
    await send(rowOf('van'))
    assert.deepEqual(await diagnosed(), silent)
  })

  it('is the sender, if nothing comes from any vehicle', async () => {
    const { diagnosed, send } = await newVehicle('van')
    await send(rowOf('van'))
    pass(20 * MINUTE)
    assert.match(assertFirst(await diagnosed(), 'silent_sender'), /'Trackers' has arrived since /)
  })
})

describe('Why a vehicle of a shared Traccar server does not move', () => {
  let one: Organization
  let two: Organization
  let mine: Json
  let theirs: Json
  let secret: string
  before(async () => {
    one = await newOrganization()
    two = await newOrganization()
    mine = await one.object('shared')
    theirs = await two.object('shared')
    secret = (await post('/routing/tokens', { name: 'Traccar' })).secret
    await sendBy(secret, rowOf('shared'))
  })

  it('is that another organization owns its ident', async () => {
    assertFirst(await one.diagnosis(mine), undefined)
    const diagnosis = await two.diagnosis(theirs)
    assert.match(assertFirst(diagnosis, 'ownership'), new RegExp(`owners: ${one.id}\\)`))
  })

  it('is that its device sends another ident, which waits', async () => {
    const van = await one.object('00123')
    await sendBy(secret, rowOf('123'))
    const found = await until(
      () => one.diagnosis(van),
      ({ similar_idents: similar }) => similar.length > 0,
    )
    assert.match(assertFirst(found, 'similar_ident'), /waits for an organization/)
  })

  it('names nothing of the deployment or of others to people of the organization', async () => {
    const van = await one.object('0123')
    const issued = await post(`${one.at}/tokens`, { name: 'theirs', role: 'administrator' })
    const other = await post(`${two.at}/tokens`, { name: 'theirs', role: 'administrator' })
    const as = ({ secret: bearer }: Json) =>
      operatorBy(console.origin, { authorization: `Bearer ${bearer}` })
    const own = await as(issued).get(`${one.at}/objects/${van.id}/diagnosis`)
    assert.deepEqual(own.similar_idents, [])
    const owned = await as(other).get(`${two.at}/objects/${theirs.id}/diagnosis`)
    const words = assertFirst(owned, 'ownership')
    assert.match(words, /does not belong to this organization, so/)
    const foreign = await as(issued).ask('GET', `${two.at}/objects/${theirs.id}/diagnosis`)
    assert.ok([403, 404].includes(foreign.status))
    const missing = await console.operator.ask('GET', `${one.at}/objects/999999/diagnosis`)
    assertError(missing, 404, 'not_found')
  })

  it('is that nothing comes from Traccar', async () => {
    pass(20 * MINUTE)
    const words = assertFirst(await one.diagnosis(mine), 'silent_sender')
    assert.match(words, /'Traccar'.* has arrived since .*Traccar server/)
  })
})

describe('fleetgate doctor', () => {
  const { args } = console.deployment

  it('answers as the admin API does, with exit code 1 for a cause', async () => {
    const { diagnosed, send, id, made } = await newVehicle('van')
    await send(rowOf('van', { hdop: 99 }))
    const line = ['doctor', '--org', `${id}`, `${made.id}`, ...args]
    const { code, stdout, stderr } = await runHere(line)
    assert.equal(code, 1)
    assert.match(stdout, /last_packet_at +2.*\n\nrejected: The packet received at /s)
    assert.match(stderr, /does not move: rejected/)
    const asJson = await runHere([...line, '--json'])
    assert.equal(asJson.code, 1)
    const { motion, ...printed } = JSON.parse(asJson.stdout)
    const { motion: _, ...answered } = await diagnosed()
    assert.deepEqual(printed.causes[0], answered.causes[0])
    assert.deepEqual(Object.keys(printed), Object.keys(answered))
    const missing = await runHere(['doctor', '--org', `${id}`, '999999', ...args])
    assert.equal(missing.code, 1)
    assert.match(missing.stderr, /'fleetgate objects list --org \d+' lists them/)
    assert.equal((await runHere(['doctor', '--org', `${id}`, 'van', ...args])).code, 2)
  })
})

async function until(ask: () => Promise<Json>, holds: (found: Json) => boolean): Promise<Json> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await wait(50)) {
    const found = await ask()
    if (holds(found)) return found
  }
  throw new Error('it did not come about')
}

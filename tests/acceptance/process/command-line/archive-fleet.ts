import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { type Operator, operatorBy, setUp } from '../../harness/admin.ts'
import { resultOf } from '../../harness/envelope.ts'
import { type Fleet, type FleetOrganization, startFleet } from '../../harness/fleet.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { newLink } from '../../harness/owned.ts'
import { newPerson } from '../../harness/people.ts'
import { senderTo } from '../../harness/sender.ts'
import { DAY, drive, MINUTE, RANGE } from '../../trips/records-fleet.ts'

/** Requests in a window: as many as the tests make. */
const WINDOW = 1_000
const PATIENCE_MS = 30_000
const LEFT = `
  SELECT (SELECT count(*) FROM tracker_moves WHERE NOT is_done)
    + (SELECT count(*) FROM erasures WHERE state <> 'done') AS left`

/** An organization that has something of everything, and the objects that drove on `DAY`. */
export type FilledOrganization = FleetOrganization & {
  /** The object whose tracker went into another one, and that one. */
  moved: number
  successor: number
  keyId: number
  /** The webhook that signs, and the relay. */
  hooks: number[]
}

/** Two organizations with something of everything. All texts of each have its word. */
export async function filledFleet(words: readonly [string, string]) {
  const fleet = await startFleet({ full: 2, plain: 0 }, [], { isAlone: true })
  const admin = () => fleet.server.admin
  const operator = operatorBy(admin, { cookie: await setUp(fleet.server) })
  const filled: FilledOrganization[] = []
  for (const [index, word] of words.entries()) {
    filled.push(await fill(fleet, operator, fleet.full[index]!, word))
  }
  await settled(fleet)
  // A server stores its counts when it stops. From now on nobody asks it.
  await fleet.restart()
  return { fleet, operator, filled }
}

async function fill(
  { server }: Fleet,
  operator: Operator,
  organization: FleetOrganization,
  word: string,
): Promise<FilledOrganization> {
  const { id, objects } = organization
  const at = `/organizations/${id}`
  const { post, patch } = operator
  const name = `${word} thing`
  const limits = { window_requests: WINDOW, create_objects: true, daily_quota: 100_000 }
  await patch(at, { name: `${word} organization`, ...limits })
  const told = { recipient: `${word} recipient`, purpose: `${word} purpose` }
  const { credential } = await post(`${at}/keys`, { name, ...told })
  await post(`${at}/feed-tokens`, { name })
  await post(`${at}/links`, { name, ...newLink(), ...told })
  await post(`${at}/tokens`, { name, role: 'viewer' })
  const url = `https://127.0.0.1:1/${word}`
  const relay = { form: 'osmand', url, credentials: `Authorization: ${word} credentials` }
  const hooks = [
    (await post(`${at}/webhooks`, { url, ...told })).webhook.id,
    (await post(`${at}/webhooks`, relay)).webhook.id,
  ]
  await newPerson(() => server.admin, operator, 'administrator', id)
  await post('/routing/rules', { condition: 'group', any_of: [word], organizations: [id] })
  await operator.ask('POST', `${at}/import/objects?map=ident%3D${word}`, {
    body: `${word},vin\n${word} imported,${word}\n`,
    headers: { 'content-type': 'text/csv' },
  })

  const sender = senderTo(organization, () => server.feed)
  const ident = `${word} tracker`
  const attributes = { driver: `${word} driver`, fuel: 5 }
  const parked = drive(ident, DAY).at(-1)
  await sender.post([
    ...drive(ident, DAY).map((row) => ({ ...row, attributes })),
    ...drive(`${word} successor`, DAY - 1_440 * MINUTE),
    { ident, time_device: new Date(DAY).toISOString(), latitude: 91, longitude: 2 },
    // Hidden: it has not moved.
    { ...parked, time_device: Date.parse(parked.time_device) + MINUTE },
    { ...parked, time_device: Date.parse(parked.time_device) + 2 * MINUTE },
  ])
  await patch(at, { create_objects: false })
  await sender.post([{ ...parked, ident: `${word} refused` }])
  const listed: Json[] = resultOf(await organization.get('/objects'))
  const idOf = (of: string) => listed.find((each) => each.ident === of).id
  const [moved, successor] = [idOf(ident), idOf(`${word} successor`)]
  const since = new Date(DAY + 12 * MINUTE).toISOString()
  await patch(`${at}/objects/${successor}`, { ident, since })
  await patch(`${at}/objects/${successor}`, { private_hours: 'Sa,Su' })
  const [from, to] = ['2024-05-06T08:03:00Z', '2024-05-06T08:05:00Z']
  await post(`${at}/objects/${objects.van}/delete-positions`, { from, to })
  await post(`${at}/attributes/publish`, { names: null })
  // Disclosures and usage.
  await organization.get(`/positions?ids=all&${RANGE}`)
  await organization.get(`/trips?ids=all&${RANGE}`)
  return { ...organization, moved, successor, keyId: credential.id, hooks }
}

/** Resolves when nothing is left to derive, to move or to delete. */
async function settled(fleet: Fleet): Promise<void> {
  const file = join(fleet.deployment.folder!, 'fleetgate.db')
  const giveUpAt = performance.now() + PATIENCE_MS
  for (;;) {
    const { contents } = await fleet.json('status')
    using database = new DatabaseSync(file, { readOnly: true })
    const { left } = database.prepare(LEFT).get() as { left: number }
    if (contents.records.behind + contents.recompute.objects + left === 0) return
    if (performance.now() > giveUpAt) throw new Error('work is left')
    await pause(20)
  }
}

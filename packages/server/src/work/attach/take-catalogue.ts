import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ItemSettings, ListTopic } from '../../base/domain/item-rules.ts'
import {
  type MonitoredObject,
  OBJECT_DEFAULTS,
  OBJECT_RULES,
  type ObjectSettings,
} from '../../base/domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS, type Organization } from '../../base/domain/organization.ts'
import { breach } from '../../base/domain/setting-rule.ts'
import type { ItemStore, PutOutcome } from '../../engine/store/item-store.ts'
import type { Store } from '../../engine/store/store.ts'
import { objectKind } from '../import/item-kinds.ts'
import { isFault, placeLimitFault, tooManyObjects } from '../import/row.ts'
import type { Attachment, AttachState, Remark, TakenPlace, Target } from './attach-state.ts'
import { devicesOf, geofencesOf, type Plan } from './plan.ts'
import { type Place, placeOf } from './traccar-places.ts'
import type { TraccarCatalogue, TraccarDevice, TraccarGeofence } from './traccar-tables.ts'

/*
 * Organizations, objects and places of an attached Traccar. What was changed or deleted here stays so, unless Traccar changes
 * it.
 */

export type CatalogueParts = {
  store: Store
  state: AttachState
  /** Whether objects and places are deleted whose devices and geofences Traccar has deleted. */
  mirrorsDeletions: boolean
  now(): number
}

/** A device whose positions an object gets. */
export type WantedDevice = { organization: Organization; object: MonitoredObject; device: number }

/** Takes everything but positions. Returns the devices whose positions are wanted. */
export async function takeCatalogue(
  parts: CatalogueParts,
  plan: Plan,
  traccar: TraccarCatalogue,
): Promise<WantedDevice[]> {
  const { state } = parts
  const { attachment } = state
  const remarks: Remark[] = []
  const wanted: WantedDevice[] = []
  const planned = new Set<string>()
  const existing = await parts.store.organizations.list()
  for (const each of plan.organizations) {
    const note = (about: string, problem: string) =>
      remarks.push({ organization: each.name, about, problem })
    const organization = await organizationOf(parts, each.name, existing)
    if (organization === null) {
      note('organization', 'it was deleted here: remove it from the plan')
      continue
    }
    const devices = devicesOf(traccar, each)
    for (const { uniqueId } of devices) planned.add(uniqueId)
    for (const each of await takeDevices(parts, organization, devices, note)) wanted.push(each)
    await takePlaces(parts, organization, geofencesOf(traccar, each, devices), note)
  }
  for (const { uniqueId, name } of traccar.devices) {
    if (planned.has(uniqueId)) continue
    const problem = 'it is in no organization of the plan'
    remarks.push({ organization: null, about: `device ${uniqueId} (${name})`, problem })
  }
  await followDeletions(parts, plan, traccar, remarks)
  attachment.remarks = remarks.slice(0, MAX_REMARKS)
  await state.save()
  return wanted
}

const MAX_REMARKS = 1_000

type NoteRemark = (about: string, problem: string) => void

/** The organization of a name of the plan: the one it became, an existing one, or a new one. Null: it was deleted. */
async function organizationOf(
  { store, state, now }: CatalogueParts,
  name: string,
  existing: readonly Organization[],
): Promise<Organization | null> {
  const { organizations } = state.attachment
  const known = organizations[name]
  if (known !== undefined) return existing.find(({ id }) => id === known) ?? null
  const organization =
    existing.find((each) => each.name === name) ??
    (await store.organizations.create({ ...ORGANIZATION_DEFAULTS, name }, now()))
  organizations[name] = organization.id
  await state.save()
  return organization
}

/** Returns the devices that have an object. */
async function takeDevices(
  { store, state, now }: CatalogueParts,
  organization: Organization,
  devices: readonly TraccarDevice[],
  note: NoteRemark,
): Promise<WantedDevice[]> {
  const { objects } = store
  const { id } = organization
  const before = await objects.list(id)
  const [byId, byIdent] = [mapOf(before, 'id'), mapOf(before, 'ident')]
  const taken: WantedDevice[] = []
  const newcomers: TraccarDevice[] = []
  for (const device of devices) {
    const about = `device ${device.uniqueId} (${device.name})`
    const target = await state.target(id, device.id)
    const object = target === null ? undefined : byId.get(target.object)
    if (!OBJECT_RULES.ident.holds(device.uniqueId)) {
      note(about, `its identifier ${breach(OBJECT_RULES.ident, device.uniqueId)}`)
    } else if (target === null) {
      newcomers.push(device)
    } else if (object?.createdAt !== target.createdAt) {
      note(about, 'its object was deleted here and is not created again')
    } else {
      const problem = await takeChanges({ objects, state, now }, target, device)
      if (problem !== null) note(about, problem)
      taken.push({ organization, object, device: device.id })
    }
  }
  const missing = newcomers.filter(({ uniqueId }) => !byIdent.has(uniqueId))
  const outcomes = await objects.put(id, missing.map(settingsOf), now())
  const after = missing.length === 0 ? byIdent : mapOf(await objects.list(id), 'ident')
  const refused = new Map(missing.map((each, index) => [each, outcomes[index]!]))
  for (const device of newcomers) {
    const object = after.get(device.uniqueId)
    if (object === undefined) {
      const isFull = refused.get(device)?.outcome === 'limit_of_objects'
      const problem = isFull ? tooManyObjects(organization).detail : 'its object was not created'
      note(`device ${device.uniqueId} (${device.name})`, problem)
      continue
    }
    await state.saveTarget(newTarget(object, device))
    taken.push({ organization, object, device: device.id })
  }
  noteAttributes(devices, note)
  return taken
}

function mapOf<Key extends 'id' | 'ident'>(objects: readonly MonitoredObject[], key: Key) {
  return new Map(objects.map((each) => [each[key], each]))
}

function newTarget(object: MonitoredObject, { id, name, uniqueId }: TraccarDevice): Target {
  const { organization, createdAt } = object
  const about = { organization, device: id, object: object.id, createdAt, name, ident: uniqueId }
  return { ...about, days: {}, gone: 0, unread: {} }
}

/** Takes a name or an identifier that changed in Traccar. Returns why it cannot, and null if it can. */
async function takeChanges(
  { objects, state, now }: Pick<CatalogueParts, 'state' | 'now'> & Pick<Store, 'objects'>,
  target: Target,
  device: TraccarDevice,
): Promise<string | null> {
  const { name, ident } = settingsOf(device)
  if (device.name === target.name && ident === target.ident) return null
  const patch = {
    ...(device.name !== target.name && { name }),
    ...(ident !== target.ident && { ident }),
  }
  const updated = await objects.update(target.organization, target.object, patch, now())
  if (updated === 'ident_taken') return `another object has its new identifier ${ident}`
  await state.saveTarget({ ...target, name: device.name, ident })
  return null
}

/** The settings that have the name of an attribute of a device, or one of its other names. */
const FROM_ATTRIBUTES = objectKind(1).fields.flatMap(({ name, synonyms }) =>
  name === 'vin' || name === 'plate_number' ? [[name, ...synonyms, name.replace('_', '')]] : [],
)

function settingsOf({ name, uniqueId, attributes }: TraccarDevice): ObjectSettings {
  const [vin, plateNumber] = FROM_ATTRIBUTES.map((names) => {
    const value = Object.entries(attributes).find(([key]) => names.includes(plain(key)))?.[1]
    return OBJECT_RULES.vin.holds(value) ? (value as string) : null
  })
  return {
    ...OBJECT_DEFAULTS,
    name: OBJECT_RULES.name.holds(name) ? name : uniqueId,
    ident: uniqueId,
    vin: vin ?? null,
    plateNumber: plateNumber ?? null,
  }
}

/** `licensePlate` is `license_plate`. */
function plain(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}

function noteAttributes(devices: readonly TraccarDevice[], note: NoteRemark): void {
  const known = new Set(FROM_ATTRIBUTES.flat())
  const names = new Set(devices.flatMap(({ attributes }) => Object.keys(attributes)))
  const others = [...names].filter((each) => !known.has(plain(each))).sort()
  if (others.length > 0) note('attributes of devices', `not imported: ${others.join(', ')}`)
}

async function takePlaces(
  parts: CatalogueParts,
  organization: Organization,
  geofences: readonly TraccarGeofence[],
  note: NoteRemark,
): Promise<void> {
  const { store, state, now } = parts
  const { places } = state.attachment
  const taken = takenPlaces(places, organization.id)
  for (const geofence of geofences) {
    const about = `geofence ${geofence.id} (${geofence.name})`
    const key = `${organization.id}/${geofence.id}`
    const of = createHash('sha256').update(JSON.stringify(geofence)).digest('hex').slice(0, 16)
    const known = places[key]
    const place = placeOf(geofence)
    if (isFault(place)) note(about, place.detail)
    if (known?.of === of || isFault(place)) continue
    const list = listOf(store, place.kind)
    if (known && (await listOf(store, known.kind).find(organization.id, known.id)) === null) {
      note(about, 'its place was deleted here and is not created again')
      continue
    }
    if (known?.kind === place.kind) {
      const updated = await list.update(organization.id, known.id, place.settings, now())
      if (isLimit(updated)) note(about, placeLimitFault(organization, updated).detail)
      else places[key] = { ...known, of }
      continue
    }
    const own =
      known === undefined
        ? await equalPlace(list, organization.id, place, geofence.id, taken)
        : null
    if (own !== null) {
      places[key] = { kind: place.kind, id: own, of }
      taken.add(placeKey(place.kind, own))
      continue
    }
    const name = await freeName(list, organization.id, place.settings.name, geofence.id)
    const [made] = await list.put(organization.id, [{ ...place.settings, name }], now())
    if (isLimit(made)) {
      note(about, placeLimitFault(organization, made).detail)
    } else if ('id' in made!) {
      if (known !== undefined) await listOf(store, known.kind).delete(organization.id, known.id)
      places[key] = { kind: place.kind, id: made.id, of }
      taken.add(placeKey(place.kind, made.id))
      await state.save()
    }
  }
}

function isLimit(outcome: unknown): outcome is Parameters<typeof placeLimitFault>[1] {
  const { outcome: is } = (outcome ?? {}) as Partial<PutOutcome>
  return is === 'limit_of_places' || is === 'limit_of_vertices'
}

function listOf(store: Store, kind: ListTopic) {
  return store[kind] as unknown as ItemStore<object, ItemSettings[ListTopic]>
}

/** The places of an organization that are of a geofence. */
function takenPlaces(places: Attachment['places'], organization: number): Set<string> {
  const own = Object.entries(places).filter(([key]) => key.startsWith(`${organization}/`))
  return new Set(own.map(([, { kind, id }]) => placeKey(kind, id)))
}

function placeKey(kind: ListTopic, id: number): string {
  return `${kind}/${id}`
}

/** The id of a place that says the same, and is of no other geofence: one that was taken before the state was lost. */
async function equalPlace(
  list: ReturnType<typeof listOf>,
  organization: number,
  { kind, settings }: Place,
  geofence: number,
  taken: ReadonlySet<string>,
): Promise<number | null> {
  for (const name of [settings.name, numbered(settings.name, geofence)]) {
    for (const id of await list.named(organization, name)) {
      if (taken.has(placeKey(kind, id))) continue
      const found = await list.find(organization, id)
      if (isDeepStrictEqual({ ...found, ...settings, name }, { ...found })) return id
    }
  }
  return null
}

function numbered(name: string, id: number): string {
  return `${name.slice(0, 180)} (${id})`
}

/** Traccar may have two geofences of one name. Another place of that name that exists here stays as it is. */
async function freeName(
  list: Pick<ReturnType<typeof listOf>, 'named'>,
  organization: number,
  name: string,
  id: number,
): Promise<string> {
  const isTaken = (await list.named(organization, name)).length > 0
  return isTaken ? numbered(name, id) : name
}

/** Notes what Traccar has deleted, or deletes it here too. */
async function followDeletions(
  { store, state, mirrorsDeletions }: CatalogueParts,
  plan: Plan,
  traccar: TraccarCatalogue,
  remarks: Remark[],
): Promise<void> {
  const { places, organizations } = state.attachment
  const names = new Map(plan.organizations.map(({ name }) => [organizations[name], name]))
  const devices = new Set(traccar.devices.map(({ id }) => id))
  const geofences = new Set(traccar.geofences.map(({ id }) => id))
  const note = (organization: number, about: string) => {
    const problem = mirrorsDeletions
      ? 'Traccar has deleted it: it was deleted here too'
      : 'Traccar has deleted it: it stays here (--mirror-deletions deletes it)'
    remarks.push({ organization: names.get(organization) ?? null, about, problem })
  }
  const living = new Set<string>()
  const gone: Omit<Target, 'days'>[] = []
  for await (const { days: _, ...target } of state.targets()) {
    if (devices.has(target.device)) living.add(`${target.organization}/${target.object}`)
    else gone.push(target)
  }
  for (const target of gone) {
    const { organization, object, name, ident, createdAt } = target
    // A device that was made again has the object of the former one, and an object that was deleted here is gone.
    const found = await store.objects.find(organization, object)
    if (living.has(`${organization}/${object}`) || found?.createdAt !== createdAt) {
      await state.forgetTarget(target)
      continue
    }
    note(organization, `device ${ident} (${name})`)
    if (!mirrorsDeletions) continue
    await store.objects.delete(organization, object)
    await state.forgetTarget(target)
  }
  for (const [key, { kind, id }] of Object.entries<TakenPlace>(places)) {
    const [organization, geofence] = key.split('/').map(Number) as [number, number]
    if (geofences.has(geofence)) continue
    note(organization, `geofence ${geofence}`)
    if (!mirrorsDeletions) continue
    await listOf(store, kind).delete(organization, id)
    delete places[key]
  }
}

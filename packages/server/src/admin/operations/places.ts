import {
  GEOJSON_AROUND,
  linesText,
  pointOf,
  polygonText,
} from '../../api/encode/formats/geojson.ts'
import { filled, writeGeofence, writeRoute, writeSite } from '../../api/encode/place.ts'
import { rowsParts } from '../../api/encode/rows-body.ts'
import { wholeOrStreamed } from '../../api/encode/whole-or-streamed.ts'
import type {
  Geofence,
  GeofenceSettings,
  Route,
  RouteSettings,
  Site,
  SiteSettings,
} from '../../domain/place.ts'
import { type PlaceLimit, placeLimitFact } from '../../domain/place-limits.ts'
import { GEOFENCE_RULES, ROUTE_RULES, SITE_RULES } from '../../domain/settings/place-settings.ts'
import type { Rules } from '../../domain/settings/rule.ts'
import type { Steps } from '../../domain/steps.ts'
import { runInTurns } from '../../domain/turn.ts'
import { newInput, patchInput } from '../../operator/input.ts'
import { conflict, notFound } from '../../operator/refused.ts'
import * as doc from '../../operator/schema.ts'
import type { ItemStore, Store, TextsOf } from '../../store/store.ts'
import { JsonReply, StreamedReply } from '../admin-api.ts'
import { type AdminOperation, operations } from '../operation.ts'
import { organizationOf } from './organizations.ts'

const FEATURE_COLLECTION = doc.named(
  'FeatureCollection',
  doc.plain<unknown>({ type: 'object' }, 'GeoJSON (RFC 7946).'),
)

/** The fields of a place besides its settings. */
type Stored = Pick<Site, 'id' | 'organization' | 'createdAt' | 'updatedAt'>

type Kind<Item, Settings extends object> = {
  /** Names in paths (`geofences`), in ids of operations (`Geofence`) and in sentences (`geofence`). */
  path: 'geofences' | 'routes' | 'sites'
  Noun: string
  noun: string
  rules: Rules<Settings>
  description: string
  store(store: Store): ItemStore<Item, Settings>
  /** The place as JSON text. */
  write(item: Item | TextsOf<Item>): Steps<string>
  /** The JSON of the place's geometry and properties in GeoJSON. */
  geometry(item: TextsOf<Item>): string
  properties(item: TextsOf<Item>): string
}

export const PLACE_OPERATIONS: AdminOperation[] = [
  ...operationsOf<Geofence, GeofenceSettings>({
    path: 'geofences',
    Noun: 'Geofence',
    noun: 'geofence',
    rules: GEOFENCE_RULES,
    description: 'A zone.',
    store: (store) => store.geofences,
    write: writeGeofence,
    geometry: ({ coordinates }) => polygonText(coordinates),
    properties: ({ name, description, color }) => JSON.stringify({ name, description, color }),
  }),
  ...operationsOf<Route, RouteSettings>({
    path: 'routes',
    Noun: 'Route',
    noun: 'route',
    rules: ROUTE_RULES,
    description: 'A planned route.',
    store: (store) => store.routes,
    write: writeRoute,
    geometry: ({ coordinates }) => linesText(coordinates),
    properties: ({ name, description, color, deviation, points }) =>
      filled({ name, description, color, deviation, points: [] }, { points }),
  }),
  ...operationsOf<Site, SiteSettings>({
    path: 'sites',
    Noun: 'Site',
    noun: 'site',
    rules: SITE_RULES,
    description: 'A point of interest.',
    store: (store) => store.sites,
    write: writeSite,
    geometry: ({ longitude, latitude }) => JSON.stringify(pointOf(longitude, latitude)),
    properties: ({ name, description, icon, radius }) =>
      JSON.stringify({ name, description, icon, radius }),
  }),
]

function operationsOf<Item extends Settings & Stored, Settings extends { name: string }>(
  kind: Kind<Item, Settings>,
): AdminOperation[] {
  const { path, Noun, noun, rules, store: of } = kind
  const all = `/organizations/{organization}/${path}`
  const one = `${all}/{place}`
  const place = doc.record(
    {
      id: doc.integer('Id.'),
      ...doc.settingFields(rules),
      created_at: doc.instant('When it was created.'),
      updated_at: doc.instant('When it was last changed.'),
    },
    kind.description,
    Noun,
  )
  const created = newInput(`New${Noun}`, rules, {}, `A ${noun} to be created.`)
  const changed = patchInput(`${Noun}Patch`, rules, `The fields of a ${noun} that change.`)
  const replyOf = async (item: Item) => new JsonReply(await runInTurns(kind.write(item)))

  /** An import matches by name, so two places of one name would be one to it. */
  async function refuseTaken(store: Store, owner: number, settings: object, id?: number) {
    const { name } = settings as { name?: string }
    if (name === undefined) return
    const holders = await of(store).named(owner, name)
    if (holders.some((each) => each !== id)) {
      throw conflict(`there is a ${noun} '${name}' already`, 'name')
    }
  }

  return operations('Places', [
    {
      id: `list${Noun}s`,
      method: 'GET',
      path: all,
      summary: `List ${path}`,
      answers: doc.items(place, `${Noun}s, by id.`, `${Noun}s`),
      async run(call) {
        const { id } = await organizationOf(call)
        const form = { head: '{"items":[', between: ',', tail: ']}', write: kind.write }
        const parts = rowsParts(of(call.api.store).pages(id), form)
        return listReply(parts, { 'Content-Type': 'application/json; charset=utf-8' })
      },
    },
    {
      id: `export${Noun}s`,
      method: 'GET',
      path: `${all}.geojson`,
      summary: `All ${path} as a GeoJSON file, which can be imported again`,
      answers: FEATURE_COLLECTION,
      async run(call) {
        const { id } = await organizationOf(call)
        const row = (item: TextsOf<Item>) =>
          `{"type":"Feature","id":${item.id},"geometry":${kind.geometry(item)},"properties":${kind.properties(item)}}`
        return listReply(rowsParts(of(call.api.store).pages(id), { ...GEOJSON_AROUND, row }), {
          'Content-Type': 'application/geo+json',
          'Content-Disposition': `attachment; filename="${path}-${id}.geojson"`,
        })
      },
    },
    {
      id: `create${Noun}`,
      method: 'POST',
      path: all,
      summary: `Create a ${noun}`,
      takes: created,
      answers: place,
      async run(call) {
        const { store, api, body, now } = call
        const { id: owner } = await organizationOf(call)
        const settings = await runInTurns(created.inSteps(body))
        return api.inTurn(owner, async () => {
          // `put` would take a place of the same name for it and change that.
          await refuseTaken(api.store, owner, settings)
          const [put] = await of(store).put(owner, [settings], now)
          if ('max' in put!) throw beyondLimit(put)
          if (!('id' in put!)) throw conflict('it is taken')
          const stored = { id: put.id, organization: owner, createdAt: now, updatedAt: now }
          return replyOf({ ...settings, ...stored } as Settings & Stored as Item)
        })
      },
    },
    {
      id: `get${Noun}`,
      method: 'GET',
      path: one,
      summary: `One ${noun}`,
      answers: place,
      async run({ api, params }) {
        const item = await of(api.store).find(params.organization!, params.place!)
        if (item === null) throw notFound(noun)
        return replyOf(item)
      },
    },
    {
      id: `update${Noun}`,
      method: 'PATCH',
      path: one,
      summary: `Change a ${noun}`,
      takes: changed,
      answers: place,
      async run({ store, api, params, body, now }) {
        const patch = await runInTurns(changed.inSteps(body))
        const [owner, id] = [params.organization!, params.place!]
        return api.inTurn(owner, async () => {
          await refuseTaken(api.store, owner, patch, id)
          const updated = await of(store).update(owner, id, patch, now)
          if (updated === null || updated === 'ident_taken') throw notFound(noun)
          if ('max' in updated) throw beyondLimit(updated)
          return replyOf(updated)
        })
      },
    },
    {
      id: `delete${Noun}`,
      method: 'DELETE',
      path: one,
      summary: `Delete a ${noun}`,
      async run({ store, params }) {
        if (!(await of(store).delete(params.organization!, params.place!))) throw notFound(noun)
      },
    },
  ])
}

function beyondLimit(limit: PlaceLimit) {
  const { field, text } = placeLimitFact(limit)
  return conflict(`${text}: raise ${field}, or delete places`, field)
}

/** A long list is made as the client takes it. */
async function listReply(parts: AsyncGenerator<Buffer>, headers: Readonly<Record<string, string>>) {
  const body = await wholeOrStreamed(parts)
  return Buffer.isBuffer(body) ? new JsonReply(body, headers) : new StreamedReply(body, headers)
}
